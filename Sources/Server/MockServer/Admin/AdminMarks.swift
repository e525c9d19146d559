import FitIQAPI
import FitIQBackend
import JSON

/// The admin API's marks: points to which a world can rewind any number of times.
extension AdminCall {
    /// `GET /__admin/marks`: lists the marks, oldest first.
    func listMarks() -> Answer {
        .object { writer in
            writer.objects("marks", marks) { $1.write(to: &$0) }
            writer.member("limit", Mark.most)
        }
    }

    private var marks: [Mark] { world.live?.marks ?? [] }

    /// `POST /__admin/marks`: saves the world's current state.
    func setMark() throws(APIError) -> Answer? {
        let name = try body(keys: ["name"]).text("name", bytes: 1...Mark.nameBytes)
        if let name, marks.contains(where: { $0.name == ExactString(name) }) { throw .markExists(name) }
        guard marks.count < Mark.most else { throw .tooManyMarks }
        enterDue()
        try engine.worlds.room(of: nil).check(bringing: world.backend.storedBytes)
        return try copy(world.snapshot, with: world.settings) { [world] engine, snapshot, now in
            let mark = engine.addMark(named: name, snapshot, to: world, at: now)
            return .object(.created) { mark.write(to: &$0) }
        }
    }

    /// `DELETE /__admin/marks/{name}`: removes a mark.
    func removeMark() throws(APIError) -> Answer {
        let place = try place(ofMark: parameter.text) { $0.name == parameter }
        engine.removeMarks(place..<place + 1, of: world)
        engine.worlds.accountStorage(of: world)
        return .noContent
    }

    private func place(ofMark name: String, _ isMeant: (Mark) -> Bool) throws(APIError) -> Int {
        guard let place = marks.firstIndex(where: isMeant) else { throw .unknownMark(name, known: marks) }
        return place
    }

    /// `POST /__admin/rewind`: restores a mark's state, clock and faults.
    ///
    /// Rewinding keeps the journal, drops later marks and ends all sockets. After rewinding, a world on the system's
    /// clock runs overdue events immediately.
    func rewind() throws(APIError) -> Answer? {
        let body = try body(keys: ["to", "sockets"])
        let expected = "the name of a mark, or the number of its entry"
        let to = try body["to"].required("to", expected: expected)
        guard to.string != nil || to.int != nil else { throw .wrongType("to", expected: expected, got: to) }
        let place = try place(ofMark: to.string ?? "\(to.int ?? 0)") { mark in
            to.string.map { mark.name == ExactString($0) } ?? (mark.number == to.int)
        }
        let usual = world.settings.scenario.rules.onRewind ?? .close
        let name = try body.choice("sockets", of: SocketEnding.allCases.map(\.rawValue), usually: usual.rawValue)
        let (mark, ending) = (marks[place], SocketEnding(rawValue: name) ?? usual)
        return try copy(mark.snapshot, with: mark.snapshot.settings) { [world] engine, snapshot, now in
            engine.goBack(world, to: mark, snapshot, endingSocketsWith: ending, at: now)
            return .ok(world.description(at: now))
        }
    }

    /// Copies a state of the world (in a job if that takes a long time) and continues with the copy.
    func copy(
        _ snapshot: World.Snapshot, with settings: WorldSettings,
        then: @escaping (Engine, World.Snapshot, Timestamp) throws(APIError) -> Answer
    ) throws(APIError) -> Answer? {
        let original = Parcel(snapshot)
        let isLong = snapshot.backend.storedBytes > Engine.largestWorkOnLoop
        // Move the value out, so that the world's values have one owner again after the job.
        return try answer(inJob: isLong, pausing: world, { original.take().copied(with: settings) }, then: then)
    }
}
