import ModelKitStores

// Made on the main actor, a handler does not run there, and may not touch what belongs to it.
@MainActor final class View {
    var number = 0

    func show(_ promise: Promise<Int>) {
        promise.catch { _ in self.number = 1 }  // error: main actor-isolated property 'number'
    }
}
