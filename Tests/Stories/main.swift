import Foundation

// Whole programs, written as a user writes them. `.ci/stories` runs each phase as a process of its own, kills
// some, and judges by other tools what they leave. A PLACE is a file, a database of PostgreSQL by its URL, a directory
// with the suffix `.archive` or the address of a server.
//
//     stories signup form PLACE NAME=TEXT …  what is typed into a form; says the identifier, or what is wrong
//     stories signup schema                  says the JSON Schema of the form
//     stories signup many PLACE FROM         signs up one after the other, and says each
//
//     stories serve PLACE                    serves a store; says its address
//
//     stories notes write URL ID TITLE       makes a note
//     stories notes edit URL ID TEXT         adds a line to a note; waits for a line of input before it is sent
//     stories notes many URL FROM COUNT      makes notes, and says each
//     stories notes list URL                 says all
//
//     stories expenses add PLACE ACCOUNT TEXT AMOUNT  notes an entry
//     stories expenses watch PLACE                    says totals while entries are added, edited, moved, deleted
//     stories expenses totals PLACE                   says all totals
//     stories expenses many PLACE                     adds entries, and says each
//     stories expenses rounds FILE COUNT              loads and lets go of many; says its size early and late
//
//     stories catalogue make PLACE            makes items and tags
//     stories catalogue tagged PLACE TAG      says the items of a tag
//     stories catalogue untag PLACE ITEM TAG  takes a tag from an item
//     stories catalogue delete PLACE TAG      deletes a tag
//
//     stories orders make PLACE              makes two orders with two lines each
//     stories orders edit PLACE BREAD        edits one and its lines in drafts; waits for a line of input before
//                                            that is stored
//     stories orders count PLACE PRODUCT N   sets the count of the first line of a product
//     stories orders delete PLACE            deletes it

struct Usage: Error {}

/// Writes a line at once.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

func run(_ arguments: [String]) async throws {
    guard arguments.count >= 2 else { throw Usage() }
    if arguments[0] == "serve" { try await OpenedStore(arguments[1]).serve() }
    let rest = Array(arguments.dropFirst(2))
    switch arguments[0] {
    case "signup": try await SignUpStory.run(arguments[1], rest)
    case "notes": try await NotesStory.run(arguments[1], rest)
    case "expenses": try await ExpensesStory.run(arguments[1], rest)
    case "catalogue": try await CatalogueStory.run(arguments[1], rest)
    case "orders": try await OrdersStory.run(arguments[1], rest)
    default: throw Usage()
    }
}

do {
    try await run(Array(CommandLine.arguments.dropFirst()))
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
