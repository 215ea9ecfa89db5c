import ModelKitStores

final class Box { var value = 0 }

func add(_ box: Box, _ promise: Promise<Int>) {
    promise.catch { _ in box.value += 1 }  // error: capture of 'box' with non-Sendable type
}
