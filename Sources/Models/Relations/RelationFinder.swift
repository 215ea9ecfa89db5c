import ModelKitFields

/// Finds the relations of a model type, and what is wrong with them.
struct RelationFinder {
    private(set) var relations = Relations()
    private var problems: [Diagnostic] = []
    /// What there is to say of types whose models do not link their fields.
    private var unlinked: [(schema: ModelSchema, problem: Diagnostic)] = []

    init(of schema: ModelSchema) {
        for entry in schema.allFields {
            guard let field = entry.relation(in: schema.prototype) else { continue }
            let partner = field.partner.schema
            if partner.isProvisional { relations.isProvisional = true }
            let found = candidates(entry, field, schema, partner)
            if found.count > 1 {
                let names = found.map { "\(partner.name).\($0.name)" }.joined(separator: " and ")
                note("\(schema.name).\(entry.name) is the inverse of both \(names)", entry)
            }
            guard let inverse = found.first else { continue }
            relations.all.append(
                Relation(
                    entry: entry,
                    inverse: inverse,
                    partner: partner.type,
                    isExclusive: inverse.field(in: partner.prototype).elementField == nil
                )
            )
            if entry.isDerived {
                relations.derived.append(DerivedRelation(entry, field, inverse, partner))
            }
            if inverse.isDerived {
                relations.deriving.append(
                    DerivingKey(key: entry, owner: partner, name: inverse.name)
                )
            }
            expectReturn(of: entry, schema, inverse, partner)
            expectLink(of: entry, schema, inverse, partner)
            expectLink(of: inverse, partner, entry, schema)
        }
    }

    /// Reports what is wrong; of each type once that its models do not link their fields.
    func report() {
        problems.forEach(ModelKitDiagnostics.report)
        for (schema, problem) in unlinked where schema.isFoundUnlinked() {
            ModelKitDiagnostics.report(problem)
        }
    }

    /// Notes an inverse that leads to this type, but holds models of a class above, which has no such
    /// relation.
    private mutating func expectReturn(
        of entry: ModelSchema.Entry,
        _ schema: ModelSchema,
        _ inverse: ModelSchema.Entry,
        _ partner: ModelSchema
    ) {
        guard let side = inverse.relation(in: partner.prototype) else { return }
        let held = side.partner.schema
        guard schema.bases.contains(held.type) else { return }
        let others = held.relations
        if held.isProvisional || others.isProvisional { relations.isProvisional = true }
        if others.all.contains(where: { $0.entry.name == entry.name }) { return }
        note(
            "\(schema.name).\(entry.name) is the inverse of \(partner.name).\(inverse.name), which "
                + "holds any \(held.name), and that has no such field, so neither sets the other; "
                + "declare \(entry.name) in \(held.name), or \(inverse.name) as a field of "
                + "\(schema.name)",
            entry
        )
    }

    /// Notes a type whose models do not link their fields.
    private mutating func expectLink(
        of entry: ModelSchema.Entry,
        _ schema: ModelSchema,
        _ inverse: ModelSchema.Entry,
        _ partner: ModelSchema
    ) {
        guard !schema.isLinked else { return }
        let problem = Diagnostic.declaration(
            "\(schema.name).\(entry.name) and \(partner.name).\(inverse.name) are inverses, "
                + "but the init of \(schema.name) does not call linkFields()",
            entry.name
        )
        unlinked.append((schema, problem))
    }

    /// The fields of the other type that are the inverse of a field, by what either of them says.
    private mutating func candidates(
        _ entry: ModelSchema.Entry,
        _ field: any RelationField,
        _ schema: ModelSchema,
        _ partner: ModelSchema
    ) -> [ModelSchema.Entry] {
        var found: [ModelSchema.Entry] = []
        if let inverse = field.declaration.inverse {
            let target = inverse.field(partner.prototype)
            let other = partner.allFields.first { $0.field(in: partner.prototype) === target }
            if let other, inverse.takes(schema.prototype) {
                found.append(other)
            } else {
                note(
                    "\(schema.name).\(entry.name) has an inverse that holds no \(schema.name)",
                    entry
                )
            }
        }
        for other in partner.allFields {
            let side = other.relation(in: partner.prototype)
            guard let inverse = side?.declaration.inverse, inverse.takes(partner.prototype),
                inverse.field(schema.prototype) === field,
                !found.contains(where: { $0 === other })
            else { continue }
            found.append(other)
        }
        return found
    }

    private mutating func note(_ message: String, _ entry: ModelSchema.Entry) {
        problems.append(.declaration(message, entry.name))
    }
}
