public import Observation

/// The switch of the process that makes fields tell the Observation module of every read.
///
/// ```swift
/// FieldTracking.enable()                    // at the start of an app with SwiftUI
/// Text(person.name.value ?? "")             // is drawn again when the name changes
/// ```
///
/// It is off at the start: a read then costs nothing more. `field.observed` is tracked anyway.
public enum FieldTracking {
    /// Has all reads of values tracked from now on.
    public static func enable() { Tracking.turnOn(Tracking.observation) }

    /// Whether all reads of values are tracked.
    public static var isEnabled: Bool { Tracking.isObserving }
}

extension AnyField: Observable {
    /// Stands for the value in what the Observation module is told: one key path for all fields.
    private var tracked: Void { () }

    /// Tells the Observation module that the value is about to be read.
    ///
    /// Before the read: a change between both would be told to nobody otherwise.
    final func noteAccess() {
        ensureRegistrar().access(self, keyPath: \.tracked)
    }

    /// Tells the Observation module of a change.
    fileprivate final func noteChange(_ registrar: ObservationRegistrar) {
        registrar.withMutation(of: self, keyPath: \.tracked) {}
    }

    private func ensureRegistrar() -> ObservationRegistrar {
        if let registrar = lock.withLock({ self.details?.registrar }) { return registrar }
        let made = ObservationRegistrar()
        // Before anybody gets it: changes would be told to nobody otherwise.
        let hook = observeInternally { [weak self] in self?.noteChange(made) }
        let details = ensureDetails()
        let (registrar, isFirst) = lock.withLock {
            if let registrar = details.registrar { return (registrar, false) }
            details.registrar = made
            return (made, true)
        }
        if !isFirst { hook?.cancel() }
        return registrar
    }
}

extension Field {
    /// The value, of whose changes the Observation module is told also while `FieldTracking` is off.
    ///
    /// It is told after a change is stored, in the order of deliveries, on the thread that delivers.
    public final var observed: Value? {
        noteAccess()
        return value
    }
}

extension Computed: Observable {
    /// The value, of whose changes the Observation module is told also while `FieldTracking` is off.
    public var observed: Value? {
        output.noteAccess()
        return value
    }
}
