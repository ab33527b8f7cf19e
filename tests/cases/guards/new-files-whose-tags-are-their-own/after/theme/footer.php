<p>© the harbour</p>
<?php wp_footer(); ?>
</body>
</html>
