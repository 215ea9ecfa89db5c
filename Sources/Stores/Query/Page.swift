/// Some models of a list, and where the next ones begin.
///
/// ```swift
/// var page = try await store.page(Person.self, limit: 50).value
/// while let next = page.next {
///     page = try await store.page(Person.self, limit: 50, after: next).value
/// }
/// ```
public struct Page<Item: Sendable>: Sendable {
    public let items: [Item]
    /// After what the next page begins; nil if there is none.
    ///
    /// Some servers do not say that a page is the last one. Then the next one may be empty.
    public let next: PageCursor?

    public init(items: [Item], next: PageCursor?) {
        self.items = items
        self.next = next
    }
}

extension Page: Equatable where Item: Equatable {}
extension Page: Hashable where Item: Hashable {}
