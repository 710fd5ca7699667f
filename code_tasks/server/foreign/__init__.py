"""What the endpoints of other services share: answers to errors, programs, and the judging of some services."""
