from django.apps import AppConfig


class AnchorConfig(AppConfig):
    name = "anchor"

    def ready(self):
        from django.db.models.signals import post_save
        from polaris.integrations import register_integrations
        from polaris.models import Transaction

        from anchor.integrations import (
            Payouts,
            Quotes,
            Withdrawals,
            sep6_info,
            tell_that_payment_is_awaited,
        )

        register_integrations(
            withdrawal=Withdrawals(), rails=Payouts(), quote=Quotes(), sep6_info=sep6_info
        )
        post_save.connect(tell_that_payment_is_awaited, sender=Transaction)
