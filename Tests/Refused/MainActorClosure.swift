import ModelKitStores

// A closure that says that it runs on the main actor is for `onMain`.
@MainActor final class View {
    var number = 0

    func show(_ promise: Promise<Int>) {
        promise.observe { @MainActor _ in self.number = 1 }  // error: converting function value
    }
}
