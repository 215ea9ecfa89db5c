import ModelKitFields
import ModelKitModels

final class Guild: Model {
    let name = Field<String>()
    let street = Field<String>(key: ["place", "street"])
    let tags = Field<String>()*
    let chief = ModelField<Smith>()
    let smiths = ModelField<Smith>()*
}

final class Smith: Model {
    let name = Field<String>()
    let friend = ModelField<Smith>()
    let friends = ModelField<Smith>()*

    convenience init(_ name: String) {
        self.init()
        self.name.value = name
    }
}

class Figure: ModelObject, @unchecked Sendable {
    let color = Field<String>()
}

final class Disc: Figure, @unchecked Sendable {
    let radius = Field<Int>()
}

final class Drawing: Model {
    let figures = ModelField<Figure>()*
}

extension ModelObject {
    /// Waits until observers know of all fields that were added.
    func settleAdditions() async {
        let count = dynamicFields.count
        while dynamicFields.count(where: { $0.hookCount > 0 }) < count { await Task.yield() }
    }
}

extension AnyField {
    /// How many hooks of the library there are.
    var hookCount: Int { observationCount.hooks }
}

extension Model {
    /// Collects what a pattern reports, as text.
    func log(_ pattern: FieldPattern) -> Collector<String> {
        let log = Collector<String>()
        observe(pattern) { change in log.add(change.description) }
        return log
    }

    /// How many hooks each field of the model has.
    var hookCounts: [Int] {
        var counts: [Int] = []
        visitAllFields(recursive: false) { counts.append($0.hookCount) }
        return counts
    }
}
