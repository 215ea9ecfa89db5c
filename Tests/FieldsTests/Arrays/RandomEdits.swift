import ModelKitFields
import TestSupport

/// Edits a field at random.
///
/// - Returns: What the method has said.
@discardableResult
func editAtRandom(_ field: ArrayField<Int>, _ random: inout SplitMix) -> Bool {
    let count = field.count
    func index() -> Int { Int.random(in: -1...count + 1, using: &random) }
    func element() -> Int { Int.random(in: 0..<10, using: &random) }
    switch Int.random(in: 0..<24, using: &random) {
    case 0..<6: return field.append(element())
    case 6..<9: return field.insert(element(), at: index())
    case 9..<11: return field.remove(at: index())
    case 11: return field.removeFirst(element())
    case 12..<15: return field.replace(at: index(), with: element())
    case 15..<18: return field.move(from: index(), to: index())
    case 18: return field.sort()
    case 19: return field.append(contentsOf: array(3, below: 10, &random))
    case 20 where count > 8: return field.removeAll()
    case 20:
        let limit = element()
        return field.removeAll { $0 > limit }
    case 21 where count > 4:
        return field.insert(contentsOf: array(3, below: 10, &random), at: index())
    case 21:
        field.value = nil
        return true
    default:
        let new = array(Int.random(in: 0...8, using: &random), below: 10, &random)
        field.value = field.allowsDuplicates ? new : Array(Set(new))
        return true
    }
}

func array(_ count: Int, below limit: Int, _ random: inout SplitMix) -> [Int] {
    (0..<count).map { _ in Int.random(in: 0..<limit, using: &random) }
}
