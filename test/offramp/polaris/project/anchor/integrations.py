from datetime import datetime, timedelta, timezone
from decimal import Decimal

from polaris.integrations import (
    QuoteIntegration,
    RailsIntegration,
    TransactionForm,
    WithdrawalIntegration,
    calculate_fee,
)
from polaris.models import Transaction
from polaris.utils import maybe_make_callback


class Withdrawals(WithdrawalIntegration):
    """SEP-24: one form, which asks for the amount. SEP-6: nothing is asked beyond the request."""

    def form_for_transaction(self, request, transaction, post_data=None, amount=None, *args, **kwargs):
        if transaction.amount_in:
            return None
        if post_data:
            return TransactionForm(transaction, post_data)
        return TransactionForm(transaction, initial={"amount": amount})

    def after_form_validation(self, request, form, transaction, *args, **kwargs):
        pass

    def process_sep6_request(self, token, request, params, transaction, *args, **kwargs):
        return {}


class Quotes(QuoteIntegration):
    """USDC for one naira. No fee besides."""

    price = Decimal("0.0006542")

    def get_price(self, *args, **kwargs):
        return self.price

    def post_quote(self, token, request, quote, *args, **kwargs):
        quote.price = self.price
        quote.expires_at = datetime.now(timezone.utc) + timedelta(hours=1)
        return quote


class Payouts(RailsIntegration):
    """Pays out at once. No money moves."""

    def execute_outgoing_transaction(self, transaction, *args, **kwargs):
        if transaction.quote:
            transaction.amount_fee = Decimal(0)
            transaction.fee_asset = transaction.quote.sell_asset
            transaction.amount_out = transaction.quote.buy_amount
        else:
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


def sep6_info(*args, **kwargs):
    return {"types": {"bank_account": {"fields": {"dest": {"description": "The number of the account."}}}}}


def tell_that_payment_is_awaited(instance, **_kwargs):
    """Polaris 2.6.0 sends no callback when the form of a SEP-24 withdrawal is completed, so the anchor does."""
    if instance.status == Transaction.STATUS.pending_user_transfer_start and instance.receiving_anchor_account:
        maybe_make_callback(instance)
