import ModelKitFields

extension Model {
    /// The fields that are in dictionaries of this object alone, by their keys in a context.
    ///
    /// One whose key another field has there stays as it is declared; one whose own key a field of the
    /// class has there is in no dictionary of that context.
    func dynamicFields(
        in registry: TransformerRegistry?,
        _ plan: ModelPlan
    ) -> [(key: FieldKey, field: AnyField)] {
        let fields = dynamicFields.filter { $0.key != nil && $0.isConvertible }
        if fields.isEmpty { return [] }
        let declared = fields.compactMap(\.key)
        var collisions: [(key: FieldKey, name: String)] = []
        let keys = ModelPlan.keys(declared, beside: plan.keys, in: registry?.keyCase) {
            collisions.append(($1, declared[$0].description))
        }
        let pairs = zip(keys, fields).filter { key, _ in
            !plan.keys.contains { $0.collides(with: key) }
        }
        let isClear = collisions.isEmpty && pairs.count == keys.count
        if !isClear, let object = self as? ModelObject, object.isFoundColliding() {
            let name = ownSchema.name
            for (key, field) in collisions { ModelPlan.report(key, of: name, field) }
            for key in keys where plan.keys.contains(where: { $0.collides(with: key) }) {
                ModelKitDiagnostics.reportDeclaration(
                    "\(name) would have the key \(key) twice in a context; the field "
                        + "that was added to one object is left out there",
                    key.description
                )
            }
        }
        return pairs.map { ($0, $1) }
    }
}
