import ModelKitFields

/// A partial that several parts of a form share, and whose changes they observe.
///
/// ```swift
/// let builder = PartialBuilder<User>()
/// let subscription = builder.subscribeForChanges(to: \.firstName) { old, new in
///     print("\(old ?? "none") became \(new ?? "none")")
/// }
/// builder.update(\.firstName, to: "Ian")   // none became Ian
/// subscription.cancel()
/// builder.lastName = "Keen"
/// let user = try builder.unwrapped()
/// ```
///
/// A listener is notified of every change once, in one order, after it was made and with no lock held;
/// changes that listeners make themselves are delivered after the running one. Where another thread is
/// notifying already, it delivers this change too, after the call that made it has returned.
// Safe: every variable is read and written under `lock`, which is never held while a listener runs or
// a value of the user is hashed or released.
@dynamicMemberLookup
public final class PartialBuilder<Root>: @unchecked Sendable {
    private let lock = Lock()
    private var current: Partial<Root>
    /// How many changes there were.
    private var revision: UInt64 = 0
    private var listeners: [PartialListener<Root>] = []
    /// The pending changes.
    private var changes: [PartialChange<Root>] = []
    private var isTelling = false
    /// What notifies the builder that this one is a part of.
    private var link: PartialSubscription?

    /// Makes a builder that starts with the values of a partial.
    public init(_ partial: Partial<Root> = Partial()) {
        current = partial
    }

    /// The values as they are now.
    public var partial: Partial<Root> { lock.withLock { current } }

    /// Sets the value of a property; nil removes it.
    public func update<Value: Sendable>(
        _ keyPath: any KeyPath<Root, Value> & Sendable,
        to newValue: Value?
    ) {
        guard let newValue else { return remove(keyPath) }
        setValue(newValue, for: keyPath)
    }

    /// Sets the value of an optional property; nil is stored.
    public func update<Value: Sendable>(
        _ keyPath: any KeyPath<Root, Value?> & Sendable,
        to newValue: Value?
    ) {
        setValue(newValue, for: keyPath)
    }

    /// Removes the value of a property; without one nothing changes.
    public func remove(_ keyPath: any PartialKeyPath<Root> & Sendable) {
        change(keyPath) { $0.remove(keyPath) }
    }

    /// Stops notifying the builder that this one was made by.
    public func detach() {
        let link = lock.withLock {
            let link = self.link
            self.link = nil
            return link
        }
        link?.cancel()
    }

    func link(by subscription: PartialSubscription) {
        lock.withLock { link = subscription }
    }
}

extension PartialBuilder {
    func add(
        _ call: @escaping @Sendable (PartialChange<Root>) -> Void
    ) -> PartialSubscription {
        let listener = lock.withLock {
            let listener = PartialListener<Root>(since: revision, call)
            listeners.append(listener)
            return listener
        }
        return PartialSubscription { [weak self, weak listener] in
            guard let self, let listener else { return }
            listener.cancel()
            self.lock.withLock { self.listeners.removeAll { $0 === listener } }
        }
    }

    /// Changes a copy and puts it in place if nobody else has changed the values meanwhile: key
    /// paths and values are of the user, and so must not be hashed or released under the lock.
    ///
    /// - Returns: The values before.
    @discardableResult
    func change(
        _ keyPath: any PartialKeyPath<Root> & Sendable,
        _ edit: (inout Partial<Root>) -> Void
    ) -> Partial<Root> {
        while true {
            let (old, base) = lock.withLock { (current, revision) }
            var new = old
            edit(&new)
            if !old.contains(keyPath) && !new.contains(keyPath) { return old }
            let mustTell: Bool? = lock.withLock {
                guard revision == base else { return nil }
                revision += 1
                current = new
                if listeners.isEmpty { return false }
                changes.append(PartialChange(keyPath, from: old, to: new, revision: revision))
                if isTelling { return false }
                isTelling = true
                return true
            }
            guard let mustTell else { continue }
            if mustTell { tell() }
            return old
        }
    }

    private func tell() {
        while let (change, listeners) = nextChange() {
            for listener in listeners { listener.receive(change) }
        }
    }

    private func nextChange() -> (PartialChange<Root>, [PartialListener<Root>])? {
        lock.withLock {
            if changes.isEmpty {
                isTelling = false
                return nil
            }
            return (changes.removeFirst(), listeners)
        }
    }
}
