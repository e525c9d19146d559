import FitIQAPI
import JSON
import TestSupport
import Testing

@testable import FitIQBackend

/// Random operations on the documents of two users, compared with simple lists.
@Suite("Random documents") struct RandomDocumentTests {
    private struct Entry {
        var id: String
        var object: JSONObject
    }

    private struct Place: Hashable {
        var user: ExactString
        var collection: DocumentCollection
    }

    @Test("Documents match a simple model after random operations and after an export", arguments: UInt64(1)...20)
    func model(seed: UInt64) throws {
        var (world, draw) = (World(seed: seed), Draw(seed: seed))
        var model: [Place: [Entry]] = [:]
        let collections: [DocumentCollection] = [.journal, .sleep, .workoutTemplates]
        for step in 0..<200 {
            world.pass(milliseconds: Int64(draw.below(3000)))
            let place = Place(
                user: draw.below(2) == 0 ? "anna" : "bert", collection: collections[draw.below(collections.count)])
            let user = try world.backend.user(place.user)
            let entries = model[place, default: []]
            let object: JSONObject = [
                "n": .number(JSONNumber(step)), "text": .string(String(repeating: "é\"", count: draw.below(20))),
            ]
            let id = entries.isEmpty ? "none" : entries[draw.below(entries.count)].id
            switch draw.below(4) {
            case 0, 1:
                let created = try world.post(object, in: place.collection, by: user)
                model[place, default: []].append(Entry(id: try #require(created["id"]?.string), object: object))
            case 2:
                let refused = refusal(try world.replace(id, with: object, in: place.collection, by: user))
                #expect((refused == nil) != entries.isEmpty)
                if let index = entries.firstIndex(where: { $0.id == id }) { model[place]?[index].object = object }
            default:
                let refused = refusal(try world.backend.deleteDocument(id, in: place.collection, by: user))
                #expect((refused == nil) != entries.isEmpty)
                model[place]?.removeAll { $0.id == id }
            }
        }
        for (place, entries) in model {
            let user = try world.backend.user(place.user)
            var seen: [JSONValue] = []
            while true {
                let page = try world.documents(
                    place.collection, [("limit", "7"), ("offset", "\(seen.count)")], for: user)
                #expect(page["total"]?.int == entries.count)
                // The only list among the totals.
                seen += try #require(page.object?.compactMap(\.value.array).first)
                guard page["has_more"] == true else { break }
            }
            let expected = entries.reversed()
            #expect(seen.map { $0["id"]?.string } == expected.map(\.id))
            for (document, entry) in zip(seen, expected) {
                for (name, value) in entry.object { #expect(document[name] == value) }
                #expect(document["user_id"]?.string == place.user.text)
            }
        }
        #expect(Invariants.violationsOfBytes(in: world) == [])
        let data = world.backend.data(at: world.turn.now, issuedIDs: 1)
        var other = World(seed: seed + 1)
        other.turn.now = world.turn.now
        // The documents come from a saved world, because they break their collections' rules.
        try other.backend.plant(data, &other.turn, isRestored: true)
        #expect(other.backend.data(at: world.turn.now, issuedIDs: 1) == data)
        #expect(other.backend.storedBytes == world.backend.storedBytes)
    }
}
