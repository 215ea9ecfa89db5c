public import Observation

/// The switch of the process that makes fields register every read with the Observation module.
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
    /// Stands for the value in the Observation module: one key path for all fields.
    private var tracked: Void { () }

    /// Registers with the Observation module that the value is about to be read.
    ///
    /// Before the read: nobody would be notified of a change between both otherwise.
    final func noteAccess() {
        while true {
            let known = ensureRegistrar()
            known.registrar.access(self, keyPath: \.tracked)
            // One that is not the field's any more may have notified of its change before.
            let isKept = lock.withLock {
                let isKept = details?.rawRegistrar === known
                if isKept { known.state.withLock { $0.isAsked = true } }
                return isKept
            }
            if isKept { return }
        }
    }

    /// Notifies the Observation module of a change.
    private func noteChange(by known: ChangeRegistrar) {
        let hook = lock.withLock { () -> Observation? in
            // It would make a computed field run at each set, while whoever is notified of a change is
            // notified of no other before it asks again. Not the first: who has just asked may not wait for it
            // yet.
            guard let details, details.upstream != nil, details.rawRegistrar === known else {
                return nil
            }
            let (isAsked, hook) = known.state.withLock { state in
                defer { state.isAsked = false }
                return (state.isAsked, state.isAsked ? nil : state.hook.take())
            }
            if !isAsked { details.rawRegistrar = nil }
            return hook
        }
        hook?.cancel()
        known.registrar.withMutation(of: self, keyPath: \.tracked) {}
    }

    private func ensureRegistrar() -> ChangeRegistrar {
        if let known = lock.withLock({ self.details?.registrar }) { return known }
        let made = ChangeRegistrar()
        // Before anybody gets it: nobody would be notified of changes otherwise.
        let hook = typed?.observeInternally { [weak self] in self?.noteChange(by: made) }
        let details = ensureDetails()
        let (known, isFirst) = lock.withLock {
            if let known = details.registrar { return (known, false) }
            details.rawRegistrar = made
            if details.upstream != nil { made.state.withLock { $0.hook = hook } }
            return (made, true)
        }
        if !isFirst { hook?.cancel() }
        return known
    }
}

extension FieldDetails {
    /// Notifies the Observation module, once somebody has read the value who asks it.
    fileprivate var registrar: ChangeRegistrar? {
        rawRegistrar.map { unsafeDowncast($0, to: ChangeRegistrar.self) }
    }
}

/// Whom the Observation module is to notify of a field.
final class ChangeRegistrar: Sendable {
    fileprivate struct State: Sendable {
        /// What is notified of the change, if it ends with that.
        var hook: Observation?
        /// Whether somebody has asked since the last change.
        var isAsked = false
    }

    let registrar = ObservationRegistrar()
    fileprivate let state = Guarded(State())
}
