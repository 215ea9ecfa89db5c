import ModelKitFields
import ModelKitModels
package import ModelKitStores
import TestSupport

/// Moves a window while others write before it, and after that expects it to show what is there.
package func moveWindowWhileOthersWrite(_ store: any ModelStore) async throws {
    func folders(_ prefix: String, _ numbers: some Sequence<Int>) -> [LiveFolder] {
        numbers.map { number in
            let folder = LiveFolder()
            folder.id.value = "\(prefix)\(1_000 + number)"
            return folder
        }
    }
    let last = folders("b", 0..<2_000)
    _ = try await store.create(last).value
    let window = store.observe(LiveFolder.self, orderBy: .ascending(\.id), window: 0..<20)
    let results = window.makeAsyncIterator()
    _ = try await results.next()
    let writers = Task {
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    for folder in folders("a", stride(from: writer, to: 180, by: 3)) {
                        _ = try? await store.create(folder).value
                    }
                }
            }
            group.addTask {
                for number in 0..<60 {
                    window.show((number * 31)..<(number * 31 + 20))
                    await Task.yield()
                }
            }
        }
        window.show(170..<190)
        // So that there is a last result, whatever came before it.
        _ = try await store.create(folders("c", 0..<1)).value
    }
    var (ids, total): ([String?], Int) = ([], 0)
    while total < 2_181 || window.places != 170..<190 || ids.first != "a1170" {
        guard let result = try await results.next() else { break }
        (ids, total) = (result.models.map(\.id.value), result.total)
    }
    try await writers.value
    expect(ids, equals: (1_170..<1_180).map { "a\($0)" } + (1_000..<1_010).map { "b\($0)" })
    expect(total, equals: 2_181)
}

/// Waits until a condition holds; for long, as many other tests may be first.
package func eventually(_ condition: () -> Bool) async {
    let end = ContinuousClock.now + .seconds(600)
    while !condition(), ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(1)) }
    expect(condition())
}
