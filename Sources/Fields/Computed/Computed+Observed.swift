public import Observation

extension Computed: Observable {
    /// The value, of whose changes the Observation module is notified also while `FieldTracking` is off.
    public var observed: Value? {
        output.noteAccess()
        return value
    }
}
