/// What a rule says of a value that fails: made when the first one does.
///
/// Every instance of a model has rules of its own, and most of them never refuse a value.
@usableFromInline
package final class LazyIssue: Sendable {
    private let make: @Sendable () -> Issue
    /// One at most: in an array, as of what may be none the runtime copies each part by functions of its type.
    private let made = Guarded<[Issue]>([])

    @usableFromInline
    package init(_ make: @escaping @Sendable () -> Issue) { self.make = make }

    @usableFromInline
    var issue: Issue {
        let known = made.withLock { $0 }
        if !known.isEmpty { return known[0] }
        let issue = make()
        made.withLock { if $0.isEmpty { $0 = [issue] } }
        return issue
    }

    /// What a presence rule says of nil.
    @usableFromInline static let required = LazyIssue { .required }
}
