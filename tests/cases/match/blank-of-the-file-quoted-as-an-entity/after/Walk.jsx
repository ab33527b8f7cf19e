<h1>Walk</h1>
<p>Ten km from there</p>
