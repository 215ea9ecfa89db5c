public import ModelKitFields

/// Which fields of a model, and of models inside of it, are observed.
///
/// ```swift
/// company.observe("employees.*.name") { change in print(change.path) }   // employees[2].name
/// company.observe(["employees", .each, "name"]) { change in print(change.path) }
/// ```
///
/// As text, keys stand between dots. `*` is every element of an array, and elsewhere every field of a
/// model; `**` is any number of both, also none: at the end everything below, and before a key
/// (`departments.**.name`) that key at any depth; `[2]` is one element. A key in which there is a dot or a
/// star is written in an array. A nested key is several keys, of which `**` can stand for some, and one
/// `*` is all.
public struct FieldPattern: Hashable, Sendable {
    /// One step of a pattern.
    ///
    /// ```swift
    /// let pattern = FieldPattern([.key("employees"), .each, .key("name")])
    /// ```
    public enum Component: Hashable, Sendable {
        case key(String)
        /// An element of an array of models: whichever is there.
        case index(Int)
        /// Every element of an array, or every field of a model: `*`.
        case each
        /// Any number of keys and elements, also none: `**`.
        case all
    }

    /// The steps, outermost first.
    public var components: [Component]

    public init(_ components: [Component]) {
        self.components = components
    }

    /// Reads a pattern as `description` writes it.
    ///
    /// ```swift
    /// let pattern = try FieldPattern(parsing: "employees[0].*")
    /// ```
    public init(parsing text: String) throws(FieldPathError) {
        components = try FieldPath(parsing: text).components.map { component in
            switch component {
            case .key(let key): Component(stringLiteral: key)
            case .index(let index): .index(index)
            }
        }
    }
}

extension FieldPattern: CustomStringConvertible {
    /// Keys and stars between dots, indexes in brackets: `employees.*.name`.
    public var description: String {
        components.reduce(into: "") { result, component in
            switch component {
            case .key(let key): result += result.isEmpty ? key : "." + key
            case .index(let index): result += "[\(index)]"
            case .each: result += result.isEmpty ? "*" : ".*"
            case .all: result += result.isEmpty ? "**" : ".**"
            }
        }
    }
}

extension FieldPattern: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// What cannot be read is one key, which no model has.
    public init(stringLiteral text: String) {
        self = (try? FieldPattern(parsing: text)) ?? FieldPattern([.key(text)])
    }

    public init(arrayLiteral components: Component...) { self.init(components) }
}

extension FieldPattern.Component: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// A key, or `*` or `**`.
    public init(stringLiteral text: String) {
        switch text {
        case "*": self = .each
        case "**": self = .all
        default: self = .key(text)
        }
    }

    public init(integerLiteral index: Int) { self = .index(index) }
}
