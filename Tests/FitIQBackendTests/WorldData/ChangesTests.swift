import FitIQAPI
import JSON
import TestSupport
import Testing

@testable import FitIQBackend

/// A saved world: its entities by their places, in order of arrival.
private struct Saved {
    private(set) var entities: [EntityPlace: EntityData] = [:]
    private(set) var order: [EntityPlace] = []

    init() {}

    /// Everything in a world at once.
    init(all backend: Backend) {
        var backend = backend
        backend.noticeChanges(allSaved: false)
        take(from: &backend, upTo: .max)
    }

    mutating func take(from backend: inout Backend, upTo limit: Int) {
        for change in backend.takeChanges(upTo: limit) { apply(change) }
    }

    private mutating func apply(_ change: EntityChange) {
        guard let data = change.data else {
            let gone = { [change] (place: EntityPlace) in
                place == change.place
                    || change.place.list == .consultations && place.list == .messages && place.owner == change.place.id
            }
            entities = entities.filter { !gone($0.key) }
            order.removeAll(where: gone)
            return
        }
        if entities.updateValue(data, forKey: change.place) == nil { order.append(change.place) }
    }

    /// The entities of each list of each owner, in order.
    var lists: [EntityPlace.List: [EntityID?: [EntityPlace]]] {
        order.reduce(into: [:]) { $0[$1.list, default: [:]][$1.owner, default: []].append($1) }
    }

    /// The differences, for the message of a failure.
    func differences(from other: Saved) -> [String] {
        let places = Set(entities.keys).union(other.entities.keys)
        let different = places.filter { entities[$0] != other.entities[$0] }
        return different.map { "\($0): \(entities[$0] as Any), not \(other.entities[$0] as Any)" }.sorted()
    }
}

/// Applying all of a world's changes in order reproduces the world.
@Suite("World changes") struct ChangesTests {
    @Test("The tracked changes are enough to rebuild the world", arguments: UInt64(1)...8)
    func everything(seed: UInt64) throws {
        var (random, draw) = (try RandomOperations(seed: seed, userCount: 5), Draw(seed: seed))
        var saved = Saved()
        random.world.backend.noticeChanges(allSaved: false)
        for step in 0..<3000 {
            random.world.pass(milliseconds: Int64(random.below(200)))
            if draw.below(6) == 0 { try change(&random.world, &draw) } else { _ = random.apply(random.draw()) }
            _ = random.takeEffects()
            if draw.below(4) == 0 { saved.take(from: &random.world.backend, upTo: 1 + draw.below(5)) }
            guard step.isMultiple(of: 50) else { continue }
            while random.world.backend.hasUnsavedChanges() { saved.take(from: &random.world.backend, upTo: 3) }
            let all = Saved(all: random.world.backend)
            #expect(saved.differences(from: all) == [], "seed \(seed), step \(step)")
            #expect(saved.lists == all.lists, "seed \(seed), step \(step)")
            guard saved.lists == all.lists, saved.entities == all.entities else { return }
        }
    }

    /// Changes an account, a photo or a document, which the random operations do not touch.
    private func change(_ world: inout World, _ draw: inout Draw) throws {
        let user = try world.backend.user(ExactString("user-\(draw.below(5))"))
        let collection = DocumentCollection.allCases[draw.below(DocumentCollection.allCases.count)]
        let documents = world.backend.users[user].documents[collection] ?? []
        switch draw.below(6) {
        case 0: _ = try world.post(["n": .number(JSONNumber(draw.below(100)))], in: collection, by: user)
        case 1:
            guard let document = documents.first else { return }
            _ = try world.replace("\(document.id)", with: ["n": 7], in: collection, by: user)
        case 2:
            guard let document = documents.last else { return }
            try world.backend.deleteDocument("\(document.id)", in: collection, by: user)
        case 3:
            let preferences = try PreferencesRequest(body: "{\"allergies\": [\"\(draw.below(9))\"]}".bytes)
            _ = try world.backend.updatePreferences(preferences, of: user, &world.turn)
        case 4: _ = try world.backend.recognizeMealPhoto(MealPhotoRequest(mealType: .lunch), by: user, &world.turn)
        default:
            guard let photo = world.backend.users[user].photos.first else { return }
            try world.backend.deleteMealPhoto("\(photo.log.id)", by: user)
        }
    }

    @Test("A world tracks changes only for an observer and only since the last save")
    func none() throws {
        var random = try RandomOperations(seed: 3, userCount: 5)
        for _ in 0..<300 { _ = random.apply(random.draw()) }
        #expect(random.world.backend.takeChanges(upTo: .max).isEmpty)
        let isNoticed = random.world.backend.hasUnsavedChanges()
        random.world.backend.noticeChanges(allSaved: true)
        let isUnsaved = random.world.backend.hasUnsavedChanges()
        #expect(!isNoticed && !isUnsaved)
        #expect(random.world.backend.takeChanges(upTo: .max).isEmpty)
        let before = Saved(all: random.world.backend)
        for _ in 0..<200 { _ = random.apply(random.draw()) }
        var later = before
        later.take(from: &random.world.backend, upTo: .max)
        #expect(later.differences(from: Saved(all: random.world.backend)) == [])
    }

    @Test("A streaming answer counts as a change only when it ends")
    func streaming() throws {
        var (world, _, id) = try World().chatting("anna")
        world.backend.noticeChanges(allSaved: true)
        world.message("How much water?", from: 1)
        let asked = world.backend.takeChanges(upTo: .max)
        #expect(asked.map(\.place.list) == [.users, .consultations, .messages])
        guard case .consultation(let waiting)? = asked[1].data else { throw Unexpected() }
        #expect(waiting.awaitsAnswer)
        var steps = 0
        while try world.record(id).answer != nil, let next = world.backend.nextDeadline {
            let isUnsaved = world.backend.hasUnsavedChanges()
            #expect(!isUnsaved)
            world.turn.now = next
            world.backend.advance(&world.turn)
            steps += 1
        }
        #expect(steps > 5)
        let answered = world.backend.takeChanges(upTo: .max)
        #expect(answered.map(\.place.list) == [.users, .consultations, .messages])
        guard case .consultation(let rest)? = answered[1].data else { throw Unexpected() }
        #expect(!rest.awaitsAnswer)
    }

    @Test("Each kind of record is tracked separately")
    func kinds() throws {
        var (world, user) = try World().withUser("anna")
        world.backend.noticeChanges(allSaved: true)
        let changes: [(list: EntityPlace.List, change: (inout World) throws -> Void)] = [
            (.goals, { _ = try $0.createGoal(by: user) }), (.consultations, { _ = try $0.create(by: user) }),
            (.mealLogs, { _ = try $0.mealID(by: user) }), (.documents(.journal), { _ = try $0.post([:], by: user) }),
        ]
        for (list, change) in changes {
            try change(&world)
            // The user comes first, because its lists have changed.
            #expect(world.backend.takeChanges(upTo: 1).map(\.place.list) == [.users])
            let isUnsaved = world.backend.hasUnsavedChanges()
            #expect(isUnsaved, "\(list)")
            #expect(world.backend.takeChanges(upTo: 1).map(\.place.list) == [list])
            let isLeft = world.backend.hasUnsavedChanges()
            #expect(!isLeft, "\(list)")
        }
        _ = try world.backend.user("ben")
        let isUnsaved = world.backend.hasUnsavedChanges()
        #expect(isUnsaved)
        for _ in 0..<2 { _ = try world.post([:], by: user) }
        #expect(world.backend.takeChanges(upTo: 4).count == 4)
        _ = world.backend.takeChanges(upTo: .max)
        world.backend.deleteUser(user, &world.turn)
        let gone = (0..<3).map { _ in world.backend.takeChanges(upTo: 3).map(\.place.list) }
        #expect(gone.map(\.count) == [3, 3, 1] && gone.joined().filter { $0 == .documents(.journal) }.count == 3)
    }

    @Test("A deletion is reported only if the document was saved before")
    func passing() throws {
        var (world, anna) = try World().withUser("anna")
        world.backend.noticeChanges(allSaved: true)
        func post(by user: UserID) throws -> String { try #require(try world.post([:], by: user)["id"]?.string) }
        let saved = try post(by: anna)
        _ = world.backend.takeChanges(upTo: .max)
        _ = try world.replace(saved, with: ["n": 1], in: .journal, by: anna)
        try world.backend.deleteDocument(saved, in: .journal, by: anna)
        #expect(world.backend.takeChanges(upTo: .max).map(\.place.list) == [.documents(.journal), .users])
        let passing = try post(by: anna)
        try world.backend.deleteDocument(passing, in: .journal, by: anna)
        #expect(world.backend.takeChanges(upTo: .max).map(\.place.list) == [.users])
        // A new user's documents are recorded when the user is taken.
        let ben = try world.backend.user("ben")
        let first = try post(by: ben)
        #expect(world.backend.takeChanges(upTo: 1).map(\.place.list) == [.users])
        try world.backend.deleteDocument(first, in: .journal, by: ben)
        #expect(world.backend.takeChanges(upTo: .max).map(\.place.list) == [.users])
    }

    @Test("If the last planted question has no answer, it is not exported as waiting")
    func unanswered() throws {
        let question = MessageData(role: .user, content: "Hi")
        var world = try World.holding(consultations: [ConsultationData(persona: .nutritionist, messages: [question])])
        world.backend.noticeChanges(allSaved: false)
        let taken = world.backend.takeChanges(upTo: .max).map(\.data)
        #expect(taken.count == 3)
        guard case .consultation(let data)? = taken[1] else { throw Unexpected() }
        #expect(!data.awaitsAnswer)
    }

    private struct Unexpected: Error {}
}
