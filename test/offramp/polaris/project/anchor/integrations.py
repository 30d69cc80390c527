from datetime import datetime, timezone

from polaris.integrations import (
    RailsIntegration,
    TransactionForm,
    WithdrawalIntegration,
    calculate_fee,
)
from polaris.models import Transaction
from polaris.utils import maybe_make_callback


class Withdrawals(WithdrawalIntegration):
    """One form, which asks for the amount."""

    def form_for_transaction(self, request, transaction, post_data=None, amount=None, *args, **kwargs):
        if transaction.amount_in:
            return None
        if post_data:
            return TransactionForm(transaction, post_data)
        return TransactionForm(transaction, initial={"amount": amount})

    def after_form_validation(self, request, form, transaction, *args, **kwargs):
        pass


class Payouts(RailsIntegration):
    """Pays out at once. No money moves."""

    def execute_outgoing_transaction(self, transaction, *args, **kwargs):
        transaction.amount_fee = calculate_fee(
            {
                "amount": transaction.amount_in,
                "operation": "withdraw",
                "asset_code": transaction.asset.code,
            }
        )
        transaction.amount_out = transaction.amount_in - transaction.amount_fee
        transaction.external_transaction_id = "payout of a test"
        transaction.status = Transaction.STATUS.completed
        transaction.completed_at = datetime.now(timezone.utc)
        transaction.save()


def tell_that_payment_is_awaited(instance, **_kwargs):
    """Polaris 2.6.0 sends no callback when the form of a SEP-24 withdrawal is completed, so the anchor does."""
    if instance.status == Transaction.STATUS.pending_user_transfer_start and instance.receiving_anchor_account:
        maybe_make_callback(instance)
