extension Rule {
    /// A rule that asks this one about every element of an array, which stands at its index.
    ///
    /// A missing array passes.
    ///
    /// ```swift
    /// let tags = Rule<String>.notBlank.each()
    /// tags.issues(for: ["red", ""]).map(\.description)   // ["[1] cannot be blank"]
    /// ```
    @inlinable
    public func each() -> Rule<[Value]> {
        Rule<[Value]>(constraint: .items(constraint), canWarn: core.canWarn) {
            [core] values, asking, issues in
            guard let values else { return asking != .failure || core.body(nil, asking, &issues) }
            var passes = true
            for index in values.indices {
                let start = issues.count
                if !core.body(values[index], asking, &issues) { passes = false }
                if issues.count > start { issues.nest(from: start, under: [.index(index)]) }
                if !passes && asking != .everything { break }
            }
            return passes
        }
    }

    /// A rule that asks another one about every element of an array: `rule.each()`.
    ///
    /// ```swift
    /// let tags = Field<[String]>().require(.each(.notBlank))
    /// ```
    public static func each<Element>(_ rule: Rule<Element>) -> Rule where Value == [Element] {
        rule.each()
    }

    /// A rule that asks this one about a property, which stands at a key.
    ///
    /// A missing root passes.
    ///
    /// ```swift
    /// struct Address: Sendable { var street: String }
    /// let address = Rule.notBlank.at(\Address.street, "street")
    /// address.issues(for: Address(street: "")).map(\.description)   // ["street cannot be blank"]
    /// ```
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - name: Its key in paths: a key path does not know the name of its property.
    /// - Returns: A rule for what has the property.
    @inlinable
    public func at<Root>(
        _ property: any KeyPath<Root, Value> & Sendable,
        _ name: String
    ) -> Rule<Root> {
        reading(name) { $0[keyPath: property] }
    }

    /// A rule that asks this one about an optional property.
    ///
    /// A missing root passes; a missing property is nil to the rule.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - name: Its key in paths: a key path does not know the name of its property.
    /// - Returns: A rule for what has the property.
    @inlinable
    public func at<Root>(
        _ property: any KeyPath<Root, Value?> & Sendable,
        _ name: String
    ) -> Rule<Root> {
        reading(name) { $0[keyPath: property] }
    }

    @inlinable
    func reading<Root>(
        _ name: String,
        _ property: @escaping @Sendable (Root) -> Value?
    ) -> Rule<Root> {
        Rule<Root>(constraint: .property(name, constraint), canWarn: core.canWarn) {
            [core] root, asking, issues in
            guard let root else { return asking != .failure || core.body(nil, asking, &issues) }
            let start = issues.count
            let passes = core.body(property(root), asking, &issues)
            if issues.count > start { issues.nest(from: start, under: FieldPath(key: name)) }
            return passes
        }
    }
}
