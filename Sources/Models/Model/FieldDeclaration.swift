public import ModelKitFields

/// A field of a model type that lists its fields itself: ``Model/declaredFields``.
///
/// ```swift
/// static var declaredFields: [FieldDeclaration]? {
///     [
///         FieldDeclaration("name", \Person.name),
///         FieldDeclaration("city") { (person: Person) in person.address.city },
///     ]
/// }
/// ```
public struct FieldDeclaration: Sendable {
    /// What stands for the name of a property, and is the key, unless the field has its own.
    public let name: String
    /// The field of a model; nil of a model of another type.
    let field: @Sendable (AnyObject) -> AnyField?

    /// A field that a closure finds in each model: the same one whenever it is asked, and not that of
    /// another model.
    public init<M: Model>(_ name: String, _ field: @escaping @Sendable (M) -> AnyField) {
        self.name = name
        self.field = { ($0 as? M).map(field) }
    }

    /// A field that a key path leads to.
    public init<M: Model, F: AnyField>(_ name: String, _ path: any KeyPath<M, F> & Sendable) {
        self.init(name) { (model: M) in model[keyPath: path] }
    }
}

extension FieldDeclaration {
    /// The fields of a list that are what it says, and a diagnostic of each that is not.
    static func checked<M: Model>(
        _ list: [FieldDeclaration],
        of type: M.Type,
        _ model: any Model,
        _ second: M?,
        reflected: FieldScan
    ) -> [(property: FieldScan.Property, access: FieldAccess)] {
        var names: Set<String> = []
        var fields: Set<ObjectIdentifier> = []
        var result: [(property: FieldScan.Property, access: FieldAccess)] = []
        for declaration in list {
            let field = declaration.field(model)
            if let problem = declaration.problem(field, model, second) {
                report("\(type) lists \(declaration.name), \(problem)", declaration.name)
            } else if !names.insert(declaration.name).inserted {
                report("\(type) lists two fields named \(declaration.name)", declaration.name)
            } else if let field, fields.insert(ObjectIdentifier(field)).inserted {
                let property = FieldScan.Property(name: declaration.name, field: field, depth: 0)
                result.append((property, .declared(declaration.field)))
            } else {
                report("\(type) lists a field twice, as \(declaration.name) too", declaration.name)
            }
        }
        reportInherited(list.map(\.name), by: model, of: type, reflected.ownFields(except: fields))
        for (name, base) in reflected.inheritedFields(except: fields) {
            report("\(type) does not list \(name) of \(base), which lists no fields itself", name)
        }
        return result
    }

    /// What is wrong with a field; nil if nothing is.
    private func problem(
        _ field: AnyField?,
        _ model: any Model,
        _ second: (any Model)?
    ) -> String? {
        guard let field else { return "which is a field of another type; it is left out" }
        guard self.field(model) === field else {
            return "which is another field each time; it is left out"
        }
        guard let second, self.field(second) === field else { return nil }
        return "which is one field for all models; it is left out"
    }

    /// Reports the fields of a class that has only taken over the list of the one above.
    private static func reportInherited<M: Model>(
        _ names: [String],
        by model: any Model,
        of type: M.Type,
        _ missing: [String]
    ) {
        guard !missing.isEmpty,
            let base = Mirror(reflecting: model).superclassMirror?.subjectType as? ModelObject.Type,
            base.declaredFields?.map(\.name) == names
        else { return }
        for name in missing {
            report("\(type) does not list \(name), as it does not override declaredFields", name)
        }
    }

    private static func report(_ message: String, _ name: String) {
        ModelKitDiagnostics.reportDeclaration(message, name)
    }
}

extension FieldScan {
    /// The fields that are not among some, of classes above the model's own which list none.
    fileprivate func inheritedFields(
        except fields: Set<ObjectIdentifier>
    ) -> [(name: String, type: any Model.Type)] {
        properties.compactMap { property in
            guard property.depth > 0, !fields.contains(ObjectIdentifier(property.field)),
                let type = classes[property.depth] as? any Model.Type, type.declaredFields == nil
            else { return nil }
            return (property.name, type)
        }
    }
}
