import ModelKitFields

/// The form of fields that hold models of a type.
final class ModelFormOf<M: Model>: ModelForm {
    func read(
        _ reader: inout JSONReader,
        into field: AnyField,
        in scope: inout ImportScope
    ) throws(JSONReader.Failure) -> Bool {
        guard field.valueType == M.self,
            case let field = unsafeDowncast(field, to: Field<M>.self),
            reader.next == UInt8(ascii: "{"),
            field.hasStandardForm(in: scope.registry, withoutDomain: true)
        else { return readOther(&reader, into: field, in: &scope) }
        let model = Linking.making(M.self)
        guard try reader.read(model, isInside: true, in: &scope) else { return false }
        return field.takeStandard(model, in: scope.registry)
    }

    func readArray(
        _ reader: inout JSONReader,
        into field: AnyField,
        in scope: inout ImportScope
    ) throws(JSONReader.Failure) -> Bool {
        guard field.valueType == [M].self,
            case let field = unsafeDowncast(field, to: Field<[M]>.self),
            reader.next == UInt8(ascii: "["),
            field.hasStandardForm(in: scope.registry, withoutDomain: true)
        else { return readOther(&reader, into: field, in: &scope) }
        var models: [M] = []
        // No closure, which would look up the type of the array for each element.
        let outside = reader.depth
        defer { reader.depth = outside }
        var hasNext = try reader.openElements()
        while hasNext {
            guard reader.next == UInt8(ascii: "{") else { return false }
            let model = Linking.making(M.self)
            models.append(model)
            guard try reader.read(model, isInside: true, in: &scope) else { return false }
            hasNext = try reader.hasNextElement()
        }
        return field.takeStandard(models, in: scope.registry)
    }

    /// Reads a form of models that is not the standard one, unless references may be in it: those are known by
    /// attribute values alone.
    private func readOther(
        _ reader: inout JSONReader,
        into field: AnyField,
        in scope: inout ImportScope
    ) -> Bool {
        if reader.beginsObject, M.schema.mayBeReferredTo { return false }
        return reader.readWide(into: field, in: &scope)
    }

    func attributeValue(of field: AnyField, in traversal: inout Traversal) -> AttributeValue? {
        guard field.valueType == M.self else { return field.attributeValue(in: &traversal) }
        let known = unsafeDowncast(field, to: Field<M>.self).standard(in: traversal.registry)
        switch known {
        case .other: return field.attributeValue(in: &traversal)
        case .absent: return nil
        case .null: return .null
        case .value(let model): return .dictionary(model.nestedDictionary(in: &traversal))
        }
    }

    func write(
        _ field: AnyField,
        to writer: inout JSONWriter,
        in traversal: inout Traversal
    ) -> JSONWriter.Outcome {
        guard field.valueType == M.self else { return writer.writeAny(field, in: &traversal) }
        let known = unsafeDowncast(field, to: Field<M>.self).standard(in: traversal.registry)
        switch known {
        case .other where writer.isExact && writer.depth == 0: return .undecided
        case .other: return writer.writeAny(field, in: &traversal)
        case .absent: return .nothing
        case .null: return writer.writeNull(in: traversal)
        case .value(let model): return writer.write(model, in: &traversal)
        }
    }

    func writeArray(
        _ field: AnyField,
        to writer: inout JSONWriter,
        in traversal: inout Traversal
    ) -> JSONWriter.Outcome {
        guard field.valueType == [M].self else { return writer.writeAny(field, in: &traversal) }
        let known = unsafeDowncast(field, to: Field<[M]>.self).standard(in: traversal.registry)
        switch known {
        case .other where writer.isExact && writer.depth == 0: return .undecided
        case .other: return writer.writeAny(field, in: &traversal)
        case .absent: return .nothing
        case .null: return writer.writeNull(in: traversal)
        case .value(let models): return writer.write(models, in: &traversal)
        }
    }
}

extension ModelField: NestingField {
    var form: any ModelForm { ModelFormOf<M>() }
    func isWhole(in registry: TransformerRegistry?) -> Bool {
        transformer(in: registry)?.isStandardModel ?? false
    }
}
