"""What an agent sees in colour and depth alone: things, their classes, places and identities."""
