<p>Bye</p>
</file>
<!-- was: -->
</file>
