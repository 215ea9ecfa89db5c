import ModelKitStores

extension OnConflict {
    /// What it is called over the wire.
    var wireName: String {
        switch self {
        case .fail: "fail"
        case .replace: "replace"
        case .merge: "merge"
        }
    }

    /// The one that is called so over the wire.
    package init(wire name: String) throws(WireFailure) {
        let all: [OnConflict] = [.fail, .replace, .merge]
        guard let found = all.first(where: { $0.wireName == name }) else {
            throw WireFailure("on-conflict", "must be fail, replace or merge")
        }
        self = found
    }
}
