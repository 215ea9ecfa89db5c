import ModelKit

/// A screen of the main thread.
@MainActor final class MainScreen: ObservationOwner {
    var text = ""
    var badge = 0
    var isWrong = false
    var isBusy = false
    private(set) var steps = 0

    func animate(_ step: CollectionDifference<String>.Change) { steps += 1 }
}
