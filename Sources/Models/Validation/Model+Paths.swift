public import ModelKitFields

extension Model {
    /// The field that a path leads to, through models in fields and elements of arrays.
    ///
    /// - Throws: An issue with the path, if it leads to no field.
    public func field(at path: FieldPath) throws(Issue) -> AnyField {
        guard let place = FieldPlace(path, in: self)?.innermost, place.rest.isEmpty else {
            throw .unknownPath(path)
        }
        return place.field
    }

    /// The value that a path leads to: that of a field, or an element of an array.
    ///
    /// - Throws: An issue with the path, if it leads nowhere, or through a field without a model.
    public func value(at path: FieldPath) throws(Issue) -> Any? {
        guard let place = FieldPlace(path, in: self)?.innermost else { throw .unknownPath(path) }
        if place.rest.isEmpty { return place.field.anyValue }
        guard place.rest.components.count == 1, case .index(let index) = place.rest.components[0],
            let elements = place.field.anyValue as? [Any], elements.indices.contains(index)
        else { throw .unknownPath(path) }
        return elements[index]
    }

    /// Sets the field that a path leads to.
    ///
    /// - Throws: An issue with the path, if it leads to no field, or the value is not of the field's
    ///   type; nothing is set then, and nothing is converted.
    public func setValue(_ value: Any?, at path: FieldPath) throws(Issue) {
        let field = try field(at: path)
        do {
            try field.setAnyValue(value)
        } catch {
            var issue = error
            issue.path = path
            throw issue
        }
    }

    /// The value that a path leads to.
    ///
    /// ```swift
    /// person[["address", "street"]] = "Main Street"
    /// ```
    ///
    /// A path that leads nowhere gives nil, and to set it, or a value of another type, does nothing:
    /// both are reported to `ModelKitDiagnostics`. `value(at:)` and `setValue(_:at:)` throw.
    public subscript(path: FieldPath) -> Any? {
        get { Issue.reporting { () throws(Issue) in try value(at: path) } ?? nil }
        set { Issue.reporting { () throws(Issue) in try setValue(newValue, at: path) } }
    }

    /// The value that a path leads to, as ``subscript(_:)-(FieldPath)``: keys between dots, indexes in
    /// brackets.
    ///
    /// ```swift
    /// person["address.street"] = "Main Street"
    /// person["tags[0]"]
    /// ```
    public subscript(path: String) -> Any? {
        get { Issue.path(path).flatMap { self[$0] } }
        set { if let path = Issue.path(path) { self[path] = newValue } }
    }
}

extension Issue {
    fileprivate static func unknownPath(_ path: FieldPath) -> Issue {
        Issue(code: "path", path: path, message: "leads to no field")
    }

    /// Runs a closure, and reports the issue that it throws to the developer.
    @discardableResult
    fileprivate static func reporting<Result>(_ body: () throws(Issue) -> Result) -> Result? {
        do throws(Issue) {
            return try body()
        } catch {
            report(error.description, at: error.path.description)
            return nil
        }
    }

    fileprivate static func path(_ text: String) -> FieldPath? {
        do throws(FieldPathError) {
            return try FieldPath(parsing: text)
        } catch {
            report(error.description, at: text)
            return nil
        }
    }

    private static func report(_ message: String, at path: String) {
        ModelKitDiagnostics.report(.refusedPath, message, field: path)
    }
}
