import ModelKitEssentials

/// Has the thread of a connection wait, which nobody else needs meanwhile.
func sleep(forSeconds seconds: Double) { usleep(UInt32(seconds * 1_000_000)) }
