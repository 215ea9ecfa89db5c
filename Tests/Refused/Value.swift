import ModelKitStores

final class Box { var value = 0 }

func box(_ promise: Promise<Int>) {
    _ = promise.map { _ in Box() }  // error: type 'Box' does not conform to the 'Sendable' protocol
}
