public import ModelKitValues

/// What only some fields have.
///
/// All of it is guarded by the lock of the field that holds it. What begins with `raw` is of a type that is
/// declared above, where it has a typed accessor.
@usableFromInline
class FieldDetails {
    @exclusivity(unchecked) @usableFromInline final var issues: [Issue] = []
    /// Whether others than the field, such as the check of its model, have found some of them with it.
    @exclusivity(unchecked) final var includesKnown = false
    /// What others than the rules say against the value of a revision.
    @exclusivity(unchecked) final var added: (revision: UInt64, issues: [Issue])?
    /// What async rules have answered, as a `Checks`; nil without such rules.
    @exclusivity(unchecked) @usableFromInline final var rawChecks: AnyObject?
    /// Whether models are, or are in, the value.
    @exclusivity(unchecked) @usableFromInline final var holdsModels = false
    /// What brings the state to those who listen, as a `LiveValidation`; nil while nobody does.
    @exclusivity(unchecked) @usableFromInline final var rawLive: AnyObject?
    /// Notifies computations that another validation has found something, or others have said it; nil
    /// before one has asked.
    @exclusivity(unchecked) final var findingsMarker: AnyField?
    /// Notifies computations that others have said something, or async rules; nil before one has asked.
    @exclusivity(unchecked) final var answersMarker: AnyField?
    /// Is touched when the load state, the editing or a time differs; nil before somebody has asked who is
    /// notified.
    @exclusivity(unchecked) final var attributesMarker: AnyField?
    /// Whether it is touched by every set, too.
    @exclusivity(unchecked) final var marksSets = false
    @exclusivity(unchecked) final var validationMode = ValidationMode.onChange
    /// What keeps the other side of a relation in step.
    @exclusivity(unchecked) @usableFromInline final var relation: FieldRelation?
    /// Whether it is of a model that a draft edits in place of another one.
    @exclusivity(unchecked) final var isStandIn = false
    /// How many are editing the value.
    @exclusivity(unchecked) final var editors = 0

    /// Whether nobody is notified of a set: most fields with a name or a rule are never observed.
    @inlinable @inline(__always)
    final var isAlone: Bool { observers.isEmpty && isUnbound && dependents.isEmpty }

    /// In order of registration, which is also the order of their numbers.
    @exclusivity(unchecked) @usableFromInline final var observers: [Observation] = []
    /// Those who have an owner, by it; nil before somebody has left of many.
    @exclusivity(unchecked) final var observersByOwner: [ObjectIdentifier: [Observation]]?
    @exclusivity(unchecked) final var lastNumber: UInt64 = 0
    /// Whether some of them are hooks of the library, or were.
    @exclusivity(unchecked) final var hasHooks = false
    /// Cancelled while a delivery ran: their closures are dropped when it ends.
    @exclusivity(unchecked) @usableFromInline final var retired: [Observation] = []
    /// The bindings, where nothing is kept apart that was changed since: `bindings` has all.
    @exclusivity(unchecked) @usableFromInline final var settledBindings: [Binding] = []
    @exclusivity(unchecked) @usableFromInline final var bindingEdits: BindingEdits?
    /// The revision under which a value was sent along the last binding that was made.
    @exclusivity(unchecked) @usableFromInline final var linkedAt: UInt64 = 0
    /// The order of the value, if its revision does not give it.
    @exclusivity(unchecked) @usableFromInline final var given: Given?
    /// The live computations that read this field.
    @exclusivity(unchecked) @usableFromInline final var dependents: [ComputedNode] = []
    /// The computation whose value this field brings to observers, if it is such a one.
    @exclusivity(unchecked) @usableFromInline final var upstream: Upstream?
    /// Notifies the Observation module, as a `ChangeRegistrar`, once somebody has read the value who asks it.
    @exclusivity(unchecked) final var rawRegistrar: AnyObject?
    /// The computed fields that this one is bound to, which live as long as it, by the fields that bring
    /// their values.
    @exclusivity(unchecked) final var retained: [(source: AnyObject, output: AnyField)] = []
    /// Whether observers are notified only of what differs, also those who ask for every set.
    @exclusivity(unchecked) @usableFromInline final var reportsDifferences = false
    /// With so many observers or bindings it is time to look for dead ones.
    @exclusivity(unchecked) @usableFromInline final var observerLimit = 16
    @exclusivity(unchecked) final var bindingLimit = 16

    /// Whether some observer asks for the edits of arrays, or has asked.
    @exclusivity(unchecked) @usableFromInline final var recordsEdits = false
    /// How often what the domain takes has become another.
    @exclusivity(unchecked) @usableFromInline final var domainChanges = 0
    /// The arrays whose elements this field describes.
    @exclusivity(unchecked) final var arrays: [Binding] = []

    /// Whether a thread calls the observers now.
    @exclusivity(unchecked) @usableFromInline final var isDraining = false
    /// Whether another thread than the draining one has set the field meanwhile.
    @exclusivity(unchecked) @usableFromInline final var isContended = false
    /// When the turn of the draining thread was first seen to be contended; 0 before.
    @exclusivity(unchecked) @usableFromInline final var turnStart = 0.0
    /// The loop that calls the observers; only compared, never followed.
    @exclusivity(unchecked) @usableFromInline final var drainer: UnsafeMutablePointer<DeliveryLoop>?
    /// The loop that has the field on its list; only compared, never followed.
    @exclusivity(unchecked) @usableFromInline final var scheduler:
        UnsafeMutablePointer<DeliveryLoop>?
    /// The loop in whose batch the field was set last; only compared, never followed.
    @exclusivity(unchecked) final var batcher: UnsafeMutablePointer<DeliveryLoop>?
    /// Whether the merging of changes was reported since the queue was last empty.
    @exclusivity(unchecked) @usableFromInline final var reportedMerge = false
    /// Who waits until the changes up to a revision are delivered, in the order of revisions.
    @exclusivity(unchecked) @usableFromInline final var settling:
        [(revision: UInt64, continuation: CheckedContinuation<Void, Never>)] = []

    @usableFromInline
    init() {}

    /// Whether the edits of an array are to be delivered: also where it is bound, as those bound may be
    /// asked for them.
    ///
    /// The lock must be held.
    final var reportsEdits: Bool { recordsEdits && !observers.isEmpty || !bindings.isEmpty }

    /// Whether a set of the value is all there is to it: nobody is notified, and no other field set.
    ///
    /// The lock must be held.
    final var isUnwatched: Bool {
        observers.isEmpty && settledBindings.isEmpty && bindingEdits == nil && dependents.isEmpty
            && upstream == nil && relation == nil && rawRegistrar == nil && attributesMarker == nil
            && rawLive == nil && findingsMarker == nil && answersMarker == nil && linkedAt == 0
            && given == nil
    }

    /// Whether no change waits, or is being delivered.
    ///
    /// The lock must be held.
    var isSettled: Bool { true }
}
