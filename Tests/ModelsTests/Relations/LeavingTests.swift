import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

/// One of many after the other leaves the other side of a relation.
@Suite(.timeLimit(.minutes(10))) struct LeavingTests {
    enum Order: CaseIterable {
        case first, last, random

        func sorted(_ artists: [Artist]) -> [Artist] {
            switch self {
            case .first: return artists
            case .last: return artists.reversed()
            case .random:
                var random = SplitMix(seed: 7)
                return artists.shuffled(using: &random)
            }
        }
    }

    private func studio(of count: Int) -> (Studio, [Artist]) {
        let studio = Studio()
        let artists = (0..<count).map { _ in Artist() }
        for artist in artists { artist.studio.value = studio }
        return (studio, artists)
    }

    @Test(arguments: Order.allCases, [1, 2, 3, 100])
    func `whoever leaves, the others stay in their order`(_ order: Order, _ count: Int) {
        let (studio, artists) = studio(of: count)
        let seen = studio.artists.filtered { _ in true }
        expect(seen.value, equals: artists)
        var left = artists
        for artist in order.sorted(artists) {
            artist.studio.value = nil
            left.removeAll { $0 === artist }
            expect(studio.artists.value, equals: left)
            expect(seen.value, equals: left)
        }
    }

    // What runs beside it would be measured, too.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["MODELKIT_TEST_ALONE"] != nil),
        arguments: [Order.first, .last]
    )
    func `the time of each that leaves does not grow with their number`(_ order: Order) {
        func time(_ count: Int) -> Duration {
            let (studio, artists) = studio(of: count)
            defer { studio.unlink() }
            return ContinuousClock().measure {
                for artist in order.sorted(artists) { artist.studio.value = nil }
            }
        }
        // By the square, eight times as many would take 64 times as long.
        let ratios = (0..<5).map { _ in time(8_000) / time(1_000) }
        expect(ratios.contains { $0 < 24 }, "\(ratios)")
    }
}
