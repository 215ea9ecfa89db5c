public import ModelKitModels

extension StoreContract {
    /// The cases, each a sentence about stores.
    public static let cases: [Case] =
        creating + updating + saving + deleting + knowing + lookingUp + conflicting
        + listing + ordering + paging + concurrent + unique + relating + batches + transactions
        + lifecycle + observing + inheriting + cancelling + events + deriving + leaving + graphs
        + aggregating + importing

    /// The types of the models that the cases keep, for stores that have to know them before.
    public static let types: [any Model.Type] = [
        ContractPerson.self, ContractItem.self, ContractSmall.self, ContractColor.self,
        ContractAccount.self, ContractCompany.self, ContractTree.self, ContractNote.self,
        ContractShape.self, ContractCircle.self, ContractOrder.self, ContractLine.self,
        ContractLedger.self, ContractEntry.self, ContractPost.self, ContractTag.self,
        ContractBadge.self, ContractBill.self, ContractBillItem.self,
        ContractRoom.self, ContractShelf.self, ContractBook.self, ContractPrice.self,
        ContractTicket.self,
    ]
}
