import Foundation

// A program that is killed, or whose disk fails, while it writes: `.ci/kill` and `.ci/faults` start it again
// and again, and ask it what is there. Tests of PostgreSQL have it as the other process.
//
//     crash prepare DIR            saves the list "old"
//     crash save DIR               saves the list "new" in its place
//     crash unsafe DIR             writes the file in place, as no store should
//     crash read DIR               says which list is there: "old" or "new"
//     crash archive-write DIR      saves lists with greater and greater numbers, and says each
//     crash archive-check DIR      says the number of the list that is there
//
//     crash write FILE             creates records with greater and greater numbers, and says each
//     crash write-early FILE       says each before it is there, as no store should
//     crash write-unsafe FILE      does not wait for the disk, as no store should
//     crash write-stubborn FILE    tries again what fails
//     crash check FILE             says the greatest number; fails if anything is missing or damaged
//     crash books FILE             makes what a program of before has written
//     crash migrate FILE           opens it as the program of now
//     crash books-check FILE       says whether it is "old" or "new"; fails if it is neither
//     crash full DIR               fills a small disk, which has the file `filler`, and removes that
//     crash failing-prepare FILE   creates records before the disk fails
//     crash failing FILE           creates more while it fails, and says what became of each
//     crash failing-unsafe FILE    does not wait for the disk, as no store should
//     crash failed FILE SAID       fails if that is not what is there
//     crash increment FILE COUNT   increments a number by tasks that all run at once
//     crash count FILE             says the number
//     crash read-only FILE         says it without writing anything
//     crash window-fill FILE COUNT creates so many records
//     crash window FILE            shows some of them at a time; fails if that takes too much memory
//
// In a schema of a PostgreSQL database, by a mode of the store:
//
//     crash entries DATABASE SCHEMA MODE NAME PAUSE  creates entries until its input ends, with pauses of so many
//                                                    milliseconds at most, and says each with the time
//     crash entries-killed DATABASE SCHEMA MODE NAME creates three and kills itself, before anybody is notified of
//                                                    the last one
//     crash counters DATABASE SCHEMA MODE COUNT      increments counters, two of them in each transaction
//     crash served-books DATABASE SCHEMA MODE        makes what a program of before has written
//     crash served-migrate DATABASE SCHEMA MODE      opens it as the program of now
//     crash served-check DATABASE SCHEMA MODE        opens it again; fails if any book is not as it should be

struct Usage: Error {}

/// What must not be found.
struct Damage: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

/// Writes a line at once.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

func run(_ arguments: [String]) async throws {
    guard arguments.count >= 3 else { throw Usage() }
    let path = arguments[2]
    let more = arguments.dropFirst(3).first ?? ""
    switch arguments[1] {
    case "prepare": try await Archive.save("old", in: path)
    case "save": try await Archive.save("new", in: path)
    case "unsafe": try await Archive.saveUnsafely(in: path)
    case "read": try await Archive.read(path)
    case "archive-write": try await Archive.write(path)
    case "archive-check": try await Archive.check(path)
    case "write": try await Numbers.write(path)
    case "write-early": try await Numbers.write(path, isEarly: true)
    case "write-unsafe": try await Numbers.write(path, isUnsafe: true)
    case "write-stubborn": try await Numbers.writeStubbornly(path)
    case "check": try await Numbers.check(path)
    case "books": try await Books.make(path)
    case "migrate": try Books.migrate(path)
    case "books-check": try await Books.check(path)
    case "full": try await Full.run(path)
    case "failing-prepare": try await Failing.prepare(path)
    case "failing": try await Failing.write(path)
    case "failing-unsafe": try await Failing.write(path, isUnsafe: true)
    case "failed": try await Failing.check(path, more)
    case "increment": try await Counting.run(path, Int(more) ?? 0)
    case "count": try await Counting.check(path)
    case "read-only": try await Counting.read(path)
    case "window-fill": try await Window.fill(path, Int(more) ?? 0)
    case "window": try await Window.observe(path)
    case "served-books", "served-migrate", "served-check":
        guard arguments.count >= 5 else { throw Usage() }
        let place = try ServedPlace(path, schema: arguments[3], mode: arguments[4])
        switch arguments[1] {
        case "served-books": try await ServedBooks.make(place)
        case "served-migrate": try await ServedBooks.migrate(place)
        default: try await ServedBooks.check(place)
        }
    case "entries", "entries-killed", "counters":
        guard arguments.count >= 6 else { throw Usage() }
        let place = try ServedPlace(path, schema: arguments[3], mode: arguments[4])
        switch arguments[1] {
        case "entries":
            let pause = arguments.dropFirst(6).first.flatMap { Int($0) } ?? 0
            try await Entries.write(place, arguments[5], pause: pause)
        case "entries-killed": try await Entries.writeKilled(place, arguments[5])
        default: try await Counters.run(place, Int(arguments[5]) ?? 0)
        }
    default: throw Usage()
    }
}

do {
    try await run(CommandLine.arguments)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
