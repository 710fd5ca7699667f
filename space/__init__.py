"""The Gradio Space: pages and endpoints over `sandboxes`, safe for strangers."""
