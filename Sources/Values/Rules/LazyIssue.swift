/// What a rule says of a value that fails: made when the first one does.
///
/// Every instance of a model has rules of its own, and most of them never refuse a value.
@usableFromInline
package final class LazyIssue: Sendable {
    private let make: @Sendable () -> Issue
    private let made = Guarded<Issue?>(nil)

    @usableFromInline
    package init(_ make: @escaping @Sendable () -> Issue) { self.make = make }

    @usableFromInline
    var issue: Issue {
        if let issue = made.withLock({ $0 }) { return issue }
        let issue = make()
        made.withLock { if $0 == nil { $0 = issue } }
        return issue
    }

    /// What a presence rule says of nil.
    @usableFromInline static let required = LazyIssue { .required }
}
