import ModelKitValues

extension Partial.Check {
    /// The values of several properties go together.
    ///
    /// ```swift
    /// .together(\.password, \.confirm, report: "confirm", "doesn't match") { $0 == $1 }
    /// ```
    ///
    /// It is asked once all of them are there, none is nil, and nothing is wrong with any of them:
    /// after the checks of one property each, wherever it is declared, and of several such checks after
    /// those declared before it. So nothing is reported that follows from another error. A warning does not
    /// keep it from being asked, nor does what is wrong with other properties.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties, as many as the condition takes.
    ///   - name: The name of the property that gets the issue. The reason has the key path that another
    ///     check gives this name to; if none does, the last one here.
    ///   - message: What is wrong with it, as the end of a sentence.
    ///   - code: The same for programs.
    ///   - condition: What has to hold. Called on any thread.
    /// - Returns: The check.
    @_disfavoredOverload  // of optional properties, the condition takes the values inside
    public static func together<each Value: Sendable>(
        _ keyPaths: repeat any KeyPath<Root, each Value> & Sendable,
        report name: String,
        _ message: String,
        code: String = "custom",
        _ condition: @escaping @Sendable (repeat each Value) -> Bool
    ) -> Self {
        var all: [any PartialKeyPath<Root> & Sendable] = []
        for keyPath in repeat each keyPaths { all.append(keyPath) }
        return joint(all, name, message, code) { subject in
            condition(repeat try subject.get(each keyPaths))
        }
    }

    /// The values of several optional properties go together.
    ///
    /// ```swift
    /// .together(\.start, \.end, report: "end", "must be after the start") { $0 < $1 }
    /// ```
    ///
    /// The condition takes the values inside; where one is nil, it is not asked. In all else it is as
    /// for other properties.
    public static func together<each Value: Sendable>(
        _ keyPaths: repeat any KeyPath<Root, (each Value)?> & Sendable,
        report name: String,
        _ message: String,
        code: String = "custom",
        _ condition: @escaping @Sendable (repeat each Value) -> Bool
    ) -> Self {
        var all: [any PartialKeyPath<Root> & Sendable] = []
        for keyPath in repeat each keyPaths { all.append(keyPath) }
        return joint(all, name, message, code) { subject in
            condition(repeat try subject.unwrap(each keyPaths))
        }
    }

    /// The values of two properties go together, of which the second is optional.
    @_disfavoredOverload  // of two optional properties either would do
    public static func together<First: Sendable, Second: Sendable>(
        _ first: any KeyPath<Root, First> & Sendable,
        _ second: any KeyPath<Root, Second?> & Sendable,
        report name: String,
        _ message: String,
        code: String = "custom",
        _ condition: @escaping @Sendable (First, Second) -> Bool
    ) -> Self {
        joint([first, second], name, message, code) { subject in
            condition(try subject.get(first), try subject.unwrap(second))
        }
    }

    /// The values of two properties go together, of which the first is optional.
    @_disfavoredOverload  // of two optional properties either would do
    public static func together<First: Sendable, Second: Sendable>(
        _ first: any KeyPath<Root, First?> & Sendable,
        _ second: any KeyPath<Root, Second> & Sendable,
        report name: String,
        _ message: String,
        code: String = "custom",
        _ condition: @escaping @Sendable (First, Second) -> Bool
    ) -> Self {
        joint([first, second], name, message, code) { subject in
            condition(try subject.unwrap(first), try subject.get(second))
        }
    }

    private static func joint(
        _ keyPaths: [any PartialKeyPath<Root> & Sendable],
        _ name: String,
        _ message: String,
        _ code: String,
        _ condition: @escaping @Sendable (CheckSubject<Root>) throws -> Bool
    ) -> Self {
        let issue = Issue(code: code, path: FieldPath(key: name), message: message)
        let demand = CheckDemand(name: name, constraint: .opaque)
        return Self(keyPaths: keyPaths, name: nil, demand: demand, isJoint: true) {
            subject,
            findings in
            if keyPaths.contains(where: { subject.isMissing($0) || findings.hasError(of: $0) }) {
                return
            }
            if (try? condition(subject)) ?? true { return }
            let keyPath = findings.keyPath(named: name) ?? keyPaths.last ?? Partial.whole
            findings.add([issue], as: .invalidValue(keyPath))
        }
    }
}
