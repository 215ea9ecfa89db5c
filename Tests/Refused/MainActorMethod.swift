import ModelKitStores

// A method of the main actor is for `onMain`.
@MainActor final class View {
    var number = 0

    func show(_ value: Int) -> Int {
        number = value
        return value
    }

    func show(_ promise: Promise<Int>) {
        _ = promise.map(show)  // error: converting function value
    }
}
