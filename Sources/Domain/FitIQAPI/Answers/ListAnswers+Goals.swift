import JSON

extension ListAnswers {
    /// `GET /api/v1/goals`: `{goals, totalCount}`, and beside it in the union `success` and `data` with the same in snake_case.
    ///
    /// - Parameter form: `.goalLinking` or `.union`, as the goals were encoded.
    public static func goals(_ goals: [EncodedGoal], in form: GuideMode) -> [UInt8] {
        var writer = JSONWriter(reserving: goals.reduce(128) { $0 + $1.camelCase.count + $1.snakeCase.count + 2 })
        writer.object { writer in
            if form.hasEnvelopeOfGoals {
                writer.member("success", true)
                writer.object("data") { data in
                    data.array("goals") { array in for goal in goals { array.raw(goal.snakeCase) } }
                    data.member("total_count", goals.count)
                }
            }
            writer.array("goals") { array in for goal in goals { array.raw(goal.camelCase) } }
            writer.member("totalCount", goals.count)
        }
        return writer.bytes
    }
}
