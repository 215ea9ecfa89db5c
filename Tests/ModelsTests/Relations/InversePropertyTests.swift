import Foundation
import ModelKitFields
import ModelKitModels
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct InversePropertyTests {
    /// The models of a test, and whether they say the same of each other.
    final class World: Sendable {
        let studios = (0..<4).map { _ in Studio() }
        let artists = (0..<6).map { _ in Artist() }
        let bikes = (0..<3).map { _ in Bike() }
        let films = (0..<3).map { _ in Film() }

        var isConsistent: Bool {
            let one = artists.allSatisfy { artist in
                studios.allSatisfy { studio in
                    studio.artists.contains(artist) == (artist.studio.value == studio)
                }
                    && bikes.allSatisfy {
                        ($0.rider.value == artist) == (artist.bike.value == $0)
                    }
                    && films.allSatisfy {
                        $0.cast.contains(artist) == artist.films.contains($0)
                    }
            }
            return one
                && artists.allSatisfy { left in
                    artists.allSatisfy { right in
                        left.reports.contains(right) == (right.boss.value == left)
                            && (left.spouse.value == right) == (right.spouse.value == left)
                            && left.friends.contains(right) == right.friends.contains(left)
                    }
                }
        }

        func step(_ random: inout SplitMix) {
            let artist = artists.randomElement(using: &random) ?? artists[0]
            let other = artists.randomElement(using: &random)
            let studio = studios.randomElement(using: &random) ?? studios[0]
            let bike = bikes.randomElement(using: &random) ?? bikes[0]
            let film = films.randomElement(using: &random) ?? films[0]
            let some = artists.filter { _ in Bool.random(using: &random) }
            let isNil = Int.random(in: 0..<4, using: &random) == 0
            switch Int.random(in: 0..<16, using: &random) {
            case 0, 1: artist.studio.value = isNil ? nil : studio
            case 2: studio.artists.append(artist)
            case 3: studio.artists.value = isNil ? nil : some
            case 4: studio.artists.remove(at: 0)
            case 5: artist.bike.value = isNil ? nil : bike
            case 6: bike.rider.value = isNil ? nil : artist
            case 7: artist.films.append(film)
            case 8: film.cast.value = some
            case 9: film.cast.removeFirst(artist)
            case 10: artist.boss.value = isNil ? nil : other
            case 11: artist.reports.value = some
            case 12: artist.spouse.value = isNil ? nil : other
            case 13: artist.friends.value = some
            case 14: studio.artists.replace(at: 0, with: artist)
            default: artist.friends.insert(artist, at: 0)
            }
        }
    }

    @Test func `both sides say the same after every set`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix(seed: seed)
        let world = World()
        for count in 0..<3000 {
            world.step(&random)
            guard world.isConsistent else {
                Issue.record("seed \(seed), step \(count)")
                return
            }
        }
    }

    @Test func `both sides say the same after sets of several threads`() async {
        let seed = UInt64.random(in: .min ... .max)
        for round in 0..<20 {
            let world = World()
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<4 {
                    group.addTask {
                        var random = SplitMix(seed: seed &+ UInt64(round * 4 + thread))
                        for _ in 0..<200 { world.step(&random) }
                    }
                }
            }
            guard world.isConsistent else {
                Issue.record("seed \(seed), round \(round)")
                return
            }
        }
    }

    @Test func `one child that several threads move is in one place`() async {
        let studios = (0..<4).map { _ in Studio() }
        let artist = Artist()
        await withTaskGroup(of: Void.self) { group in
            for studio in studios {
                group.addTask {
                    for count in 0..<500 {
                        if count.isMultiple(of: 2) {
                            artist.studio.value = studio
                        } else {
                            studio.artists.append(artist)
                        }
                    }
                }
            }
        }
        let owner = artist.studio.value
        expect(owner != nil)
        expect(studios.filter { $0.artists.contains(artist) }, equals: [owner])
        expect(owner?.artists.count(of: artist), equals: 1)
    }

    @Test func `of several threads that put in and take out each does it to what the other left`()
        async
    {
        let studio = Studio()
        let artist = Artist()
        let sums = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<2_000).reduce(0) { sum, _ in
                        sum
                            + studio.artists.modify { artists in
                                let isIn = artists?.contains { $0 === artist } ?? false
                                artists = isIn ? [] : [artist]
                                return isIn ? -1 : 1
                            }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        expect(sums, equals: 0)
        expect(studio.artists.value, equals: [])
        expect(artist.studio.value, equals: nil)
    }

    @Test func `mirrors of all sides end as these do`() async {
        let world = World()
        let mirrors = world.studios.map { studio in
            let mirror = Field<[Artist]>()
            studio.artists.observe { value in mirror.value = value }
            return mirror
        }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<3 {
                group.addTask {
                    var random = SplitMix(seed: UInt64(thread))
                    for _ in 0..<300 { world.step(&random) }
                }
            }
        }
        for (studio, mirror) in zip(world.studios, mirrors) {
            await studio.artists.settled()
            expect(mirror.value, equals: studio.artists.value)
        }
    }
}

extension ArrayField {
    fileprivate func count(of element: Element) -> Int {
        value?.filter { $0 == element }.count ?? 0
    }
}
