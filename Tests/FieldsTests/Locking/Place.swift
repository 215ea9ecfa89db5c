import Foundation
import ModelKitFields

/// Where a field runs code of the user.
enum Place: String, CaseIterable, Sendable {
    case observer, firstCall, valueEquality, ownEquality, rule, domain, forward, backward,
        computation, observedComputation, modification, clock, diagnostic, release

    /// Has a field run a closure there.
    ///
    /// - Returns: What makes it do so.
    func arrange(
        _ field: Field<Item>,
        _ body: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let set = { @Sendable in field.value = Item(number: 1) }
        switch self {
        case .observer:
            field.observe(when: .changes) { (_: Item?) in body() }
            return set
        case .firstCall:
            return { field.observe { (_: Item?) in body() } }
        case .valueEquality:
            return { field.value = Item(number: 1, compare: body) }
        case .ownEquality:
            field.equality { old, new in
                body()
                return old.number == new.number
            }
            return set
        case .rule:
            field.require { _ in
                body()
                return true
            }
            return { field.validate() }
        case .domain:
            field.constrain(
                to: Domain(
                    Rule("is outside") { _ in
                        body()
                        return true
                    }
                )
            )
            return set
        case .forward:
            let target = Field<Int>()
            field.bind(to: target) { value in
                body()
                return value?.number
            }
            return { withExtendedLifetime(target) { set() } }
        case .backward:
            let target = Field<Int>()
            field.bind(
                to: target,
                forward: { $0?.number },
                backward: { number in
                    body()
                    return number.map { Item(number: $0) }
                }
            )
            return { target.value = 1 }
        case .computation, .observedComputation:
            let number = Computed { () -> Int? in
                body()
                return field.value?.number
            }
            if self == .computation { return { _ = number.value } }
            number --> { _ in }
            return { withExtendedLifetime(number) { set() } }
        case .modification:
            return {
                field.modify { value in
                    value = Item(number: 1)
                    body()
                }
            }
        case .clock:
            let clock = FieldClock {
                body()
                return Date()
            }
            return { FieldClock.withCurrent(clock) { set() } }
        case .diagnostic:
            return { ModelKitDiagnostics.withHandler({ _ in body() }) { _ = field --> field } }
        case .release:
            field.value = Item(number: 0, last: Last(body))
            return set
        }
    }
}

/// A value whose comparison and whose end may call closures.
struct Item: Equatable, Sendable {
    let number: Int
    var compare: (@Sendable () -> Void)?
    var last: Last?

    static func == (left: Item, right: Item) -> Bool {
        left.compare?()
        right.compare?()
        return left.number == right.number
    }
}
