import FitIQAPI
import FitIQBackend
import JSON

extension WorldData {
    /// The data as a scenario file, in JSON: a world begins from it where this one was.
    ///
    /// Texts stand as they are stored, also where YAML would refuse or fold them: a file that is JSON is read as such. So it
    /// has no more bytes than the world stores, which limits count on.
    ///
    /// - Parameters:
    ///   - name: the scenario's.
    ///   - guide: whose answers the world gives.
    ///   - seed: of the world's ids, which go on after ``issuedIDs``.
    ///   - clock: for a manual one, the time at which the data was taken.
    public func scenarioFile(name: String, guide: GuideMode, seed: UInt64, clock: ClockMode) -> [UInt8] {
        var writer = JSONWriter(reserving: 4096)
        writer.object { writer in
            writer.member("name", name)
            writer.member("guide", guide.rawValue)
            // Beyond what an Int holds.
            writer.member("seed", raw: Array("\(seed)".utf8))
            switch clock {
            case .real: writer.member("clock", "real")
            case .manual(let time): writer.object("clock") { $0.member("manual", time.preciseText) }
            }
            write(into: &writer)
        }
        return writer.bytes
    }

    /// Writes the members `issued_ids` and `users` of a scenario file into the object that is open.
    public func write(into writer: inout JSONWriter) {
        writer.member("issued_ids", ifPresent: issuedIDs)
        writer.lines("users", users) { writer, user in user.write(into: &writer) }
    }
}

extension UserData {
    fileprivate func write(into writer: inout JSONWriter) {
        writer.member("id", id.text)
        writer.linesIfAny("goals", goals) { $1.write(into: &$0) }
        writer.linesIfAny("consultations", consultations) { $1.write(into: &$0) }
        writer.member("fill_active_consultations", ifPresent: fillActiveConsultations)
        writer.linesIfAny("meal_logs", mealLogs) { $1.write(into: &$0) }
    }
}

extension GoalData {
    fileprivate func write(into writer: inout JSONWriter) {
        writer.member("id", ifPresent: id?.description)
        writer.member("name", ifPresent: name?.text)
        writer.member("title", title)
        writer.member("description", ifPresent: description)
        writer.member("category", ifPresent: category)
        writer.member("target_date", ifPresent: targetDate?.wireText)
        writer.member("status", status.rawValue)
        writer.member("progress", progress)
        writer.time("created_at", createdAt)
        writer.time("updated_at", updatedAt)
    }
}
