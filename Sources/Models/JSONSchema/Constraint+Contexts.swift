import ModelKitFields

extension Constraint {
    /// The same, of what depends on contexts that part which holds in those that the task is in; where
    /// it is in none, what holds in some is only known to the code.
    var inCurrentContexts: Constraint {
        switch self {
        case .on(let contexts, let inner):
            let current = ValidationContext.current
            if current.isEmpty { return .opaque }
            return contexts.isDisjoint(with: current) ? .all([]) : inner.inCurrentContexts
        case .except(let contexts, let inner):
            return contexts.isDisjoint(with: ValidationContext.current)
                ? inner.inCurrentContexts : .all([])
        case .all(let parts): return Constraint(all: parts.map(\.inCurrentContexts))
        case .any(let parts): return .any(parts.map(\.inCurrentContexts))
        case .not(let inner): return .not(inner.inCurrentContexts)
        case .property(let name, let inner): return .property(name, inner.inCurrentContexts)
        case .items(let inner): return .items(inner.inCurrentContexts)
        case .keys(let inner): return .keys(inner.inCurrentContexts)
        case .values(let inner): return .values(inner.inCurrentContexts)
        case .containsItems(let inner, let min, let max):
            return .containsItems(inner.inCurrentContexts, min: min, max: max)
        default: return self
        }
    }
}
