// Reads values of reference types on two threads while a third sets them: what optimised code makes
// of the library's lock is only to be seen in optimised code. It crashes where a value is released
// that is being read.
import Foundation
import ModelKit
import Synchronization

final class Leaf: Equatable, Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }

    static func == (left: Leaf, right: Leaf) -> Bool { left.number == right.number }
}

let text = Field<String>(value: String(repeating: "a", count: 40))
let leaf = Field<Leaf>(value: Leaf(0))
let list = Field<[Int]>(value: [1, 2, 3])
let joined = Computed { text.value.map { $0 + "\(leaf.value?.number ?? 0)" } }
let isOver = Atomic<Bool>(false)
let reads = Atomic<Int>(0)

func start(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
    let end = DispatchSemaphore(value: 0)
    Thread {
        body()
        end.signal()
    }.start()
    return end
}

let readers = (0..<2).map { _ in
    start {
        var count = 0
        var bytes = 0
        while !isOver.load(ordering: .relaxed) {
            bytes &+= text.value?.utf8.count ?? 0
            bytes &+= (leaf.value?.number ?? 0) &+ (list.value?.count ?? 0)
            if count % 64 == 0 { bytes &+= joined.value?.utf8.count ?? 0 }
            count += 1
        }
        reads.add(bytes == .min ? 0 : count, ordering: .relaxed)
    }
}
let writer = start {
    for round in 0..<2_000_000 {
        text.value = String(repeating: "b", count: 30 + round % 9)
        leaf.value = Leaf(round)
        list.value = [round, round]
    }
}
writer.wait()
isOver.store(true, ordering: .relaxed)
for reader in readers { reader.wait() }
print("\(reads.load(ordering: .relaxed)) reads beside 6000000 sets")
