import Foundation
import ModelKit

// A program that is killed while it writes: the script `.ci/kill` starts it again and again.
//
//     crash prepare DIR    saves the list "old"
//     crash save DIR       saves the list "new" in its place
//     crash unsafe DIR     writes the file in place, as no store should
//     crash read DIR       prints which list is there: "old" or "new"

final class Entry: Model {
    let id = Field<String>()
    let text = Field<String>()
}

/// A list whose entries all have the name of the list, and are too many for one page.
func list(_ name: String) -> [Entry] {
    (0..<200).map { number in
        let entry = Entry()
        entry.id.value = "\(name) \(number)"
        entry.text.value = name + String(repeating: ".", count: 50)
        return entry
    }
}

func name(of list: [Entry]) throws -> String {
    guard let name = list.first?.id.value?.prefix(3), list.count == 200,
        list.allSatisfy({ $0.id.value?.hasPrefix(name) ?? false })
    else { throw Mixed() }
    return String(name)
}

struct Mixed: Error {}
struct Usage: Error {}

let arguments = CommandLine.arguments
guard arguments.count == 3 else { throw Usage() }
let directory = arguments[2]
let file = "\(directory)/group-.archive"
switch arguments[1] {
case "prepare", "save":
    let store = try ArchiveModelStore(directory: directory)
    let name = arguments[1] == "save" ? "new" : "old"
    _ = try await store.saveList(Entry.self, list(name)).value
    print("saved")
case "unsafe":
    let other = "\(directory)/other"
    let store = try ArchiveModelStore(directory: other)
    _ = try await store.saveList(Entry.self, list("new")).value
    let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(other)/group-.archive"))
    guard let output = FileHandle(forWritingAtPath: file) else { throw Usage() }
    try output.truncate(atOffset: 0)
    for start in stride(from: 0, to: bytes.count, by: 4096) {
        try output.write(contentsOf: bytes.dropFirst(start).prefix(4096))
    }
    print("saved")
case "read":
    let store = try ArchiveModelStore(directory: directory)
    print(try name(of: await store.list(Entry.self).value))
default: throw Usage()
}
