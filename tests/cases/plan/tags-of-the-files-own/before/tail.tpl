<p>Bye</p>
<!-- was: -->
</file>
