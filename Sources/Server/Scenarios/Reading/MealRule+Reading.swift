import FitIQAPI
import FitIQBackend

extension MealRule {
    static func read(_ cursor: Cursor) -> MealRule? {
        guard let fields = Fields(cursor, as: .meal) else { return nil }
        var rule = MealRule()
        if let condition = fields["when"].flatMap({ Fields($0, as: .mealCondition) }) {
            rule.text = condition["text"]?.textMatch()
            rule.mealTypes = condition["meal_type"]?.choices(of: MealType.self) ?? []
        }
        rule.duration = fields["after"]?.duration()
        let outcome = fields.one(of: ["items", "fail", "never"], isRequired: false)
        fields.refuse(["details"], unless: outcome == "fail", Messages.needs("'fail'"))
        fields.refuse(["after"], unless: outcome != "never", Messages.contradicts("never"))
        switch outcome {
        case "items":
            let items = fields["items"]?.elements(limit: ScenarioLimits.items, of: "foods") ?? []
            rule.outcome = .completed(items.compactMap { Fields($0, as: .food).flatMap(Item.read) })
        case "fail":
            rule.outcome = .failed(
                message: fields["fail"]?.text(1...500) ?? "", details: fields["details"]?.text(1...1000))
        case "never" where fields["never"]?.isTrue() == true: rule.outcome = .never
        default: break
        }
        return rule
    }
}
