extension ValueSource {
    /// The elements that a closure takes, kept right: a computed array.
    ///
    /// ```swift
    /// let tasks = ArrayField(Field<String>(), value: ["buy milk", "(done) call Ada"])
    /// let open = tasks.filtered { !$0.hasPrefix("(done)") }
    /// tasks.append("write")
    /// open.value   // ["buy milk", "write"]
    /// ```
    ///
    /// It is a ``Computed`` like any other: right whenever it is read, also in a batch, and what the
    /// closure reads is found out, so that a field of an element counts, too.
    /// Edits of an `ArrayField` are followed one by one: the closure runs for what is new, and
    /// observers of edits, bound arrays and arrays made of this one receive edits, without any
    /// comparison; so are those of an array that is made so itself. Where an array was set as a whole, and of
    /// any other source, all is made anew, and compared if somebody observes the edits.
    /// A closure that reads fields runs for every element again when one of them changes.
    public func filtered<Element>(
        _ isIncluded: @escaping @Sendable (Element) throws -> Bool
    ) -> Computed<[Element]> where Value == [Element], Element: Equatable & Sendable {
        made { element, add in if try isIncluded(element) { add(element) } }
    }

    /// What a closure makes of each element, kept right: a computed array, as `filtered` makes one.
    public func mapped<Element, Output>(
        _ transform: @escaping @Sendable (Element) throws -> Output
    ) -> Computed<[Output]>
    where Value == [Element], Element: Equatable & Sendable, Output: Equatable & Sendable {
        LiveArray(LiveSource(self), MapStep(transform: transform)).computed
    }

    /// All that a closure makes of each element, one after the other, kept right: a computed array, as
    /// `filtered` makes one.
    public func flatMapped<Element, Output>(
        _ transform: @escaping @Sendable (Element) throws -> [Output]
    ) -> Computed<[Output]>
    where Value == [Element], Element: Equatable & Sendable, Output: Equatable & Sendable {
        made { element, add in for part in try transform(element) { add(part) } }
    }

    private func made<Element, Output>(
        by transform:
            @escaping @Sendable (_ element: Element, _ add: (Output) -> Void) throws -> Void
    ) -> Computed<[Output]>
    where Value == [Element], Element: Equatable & Sendable, Output: Equatable & Sendable {
        LiveArray(LiveSource(self), FlatMapStep(transform)).computed
    }

    /// The elements in an order, kept right: a computed array, as `filtered` makes one.
    ///
    /// The closure says whether the first comes before the second. Equal elements keep their order.
    /// For an element that is inserted it runs as often as a binary search takes.
    public func sorted<Element>(
        by areInIncreasingOrder: @escaping @Sendable (Element, Element) throws -> Bool
    ) -> Computed<[Element]> where Value == [Element], Element: Equatable & Sendable {
        LiveArray(LiveSource(self), SortStep(areInIncreasingOrder)).computed
    }

    /// The elements in order, the least first, kept right: a computed array, as `filtered` makes one.
    public func sorted<Element>() -> Computed<[Element]>
    where Value == [Element], Element: Comparable & Sendable {
        sorted { $0 < $1 }
    }
}
