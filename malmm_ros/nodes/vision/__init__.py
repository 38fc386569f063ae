"""How the scene node sees with cameras: messages in, one set of images at a time out."""
