"""The endpoints, one module for each family of clients. Each module has a `router`, which `app.py` includes."""
