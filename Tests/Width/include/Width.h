// So many tests run at once as the machine has room for; there is nothing to call.
