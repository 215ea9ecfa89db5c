import ModelKitFields

/// What a field was told about a model in it as a whole, which counts until that is changed.
struct ModelVerdict {
    let field: AnyField
    /// With the path from the field.
    let issue: Issue
    let model: any Model
    /// When it was told.
    let moment = Revision.current

    var isOutdated: Bool { field.changeRevision > moment || isOutdated(since: moment) }

    func isOutdated(since revision: UInt64) -> Bool { model.allFields.lastRevision > revision }

    func isSame(as other: ModelVerdict) -> Bool {
        moment == other.moment && isSaid(other.issue, of: other.field)
    }

    func isSaid(_ issue: Issue, of field: AnyField) -> Bool {
        self.field === field && self.issue == issue
    }
}
