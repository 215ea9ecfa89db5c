// The server that tests start.
